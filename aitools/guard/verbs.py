"""The verbs with which a reply says that something was done, by kind of act, Spanish and English."""

from __future__ import annotations

from dataclasses import dataclass

#: Spanish infinitives. Forms are made by rule; irregular ones are listed below.
SPANISH = {
    "create": (
        "registrar confirmar crear agendar reservar apartar programar encargar tramitar procesar realizar generar "
        "ingresar levantar colocar finalizar completar concretar formalizar ordenar separar solicitar emitir cargar "
        "asentar gestionar efectuar cursar ejecutar reconfirmar montar hacer"
    ),
    "draft": (
        "anotar apuntar agregar añadir sumar incluir poner meter guardar quitar sacar eliminar borrar reemplazar "
        "sustituir duplicar marcar armar"
    ),
    "change": "cambiar modificar actualizar corregir ajustar reprogramar mover editar adelantar aplazar posponer",
    "cancel": "cancelar anular suspender revertir deshacer",
    "handover": "avisar transferir derivar escalar notificar informar contactar reportar comunicar",
}
ENGLISH = {
    "create": (
        "placed created registered confirmed booked scheduled reserved submitted processed ordered finalized finalised "
        "completed recorded logged secured arranged entered filed sorted queued set_up set_aside put_in put_through "
        "put_aside locked_in rung_up rang_up lined_up"
    ),
    "draft": "added noted removed included saved swapped replaced wrote written put_down taken_off took_off taken_out",
    "change": (
        "changed updated modified edited adjusted rescheduled moved corrected switched amended bumped pushed_back"
    ),
    "cancel": "cancelled canceled voided withdrawn withdrew called_off undone",
    "handover": "transferred forwarded escalated notified alerted informed contacted messaged flagged pinged looped_in",
}
#: Infinitives and -ing forms, for "I was able to place" and "I'm placing".
ENGLISH_DO = {
    "create": "place book schedule reserve submit process register confirm",
    "draft": "add remove",
    "change": "change update modify move",
    "cancel": "cancel",
    "handover": "transfer connect pass forward hand put escalate notify reach",
}


@dataclass(frozen=True, slots=True)
class Forms:
    """Forms of a Spanish verb; ``done`` is the participle without its last vowel."""

    infinitive: str
    did: str
    we_did: str
    done: str
    does: str
    was_done: str
    doing: str

    @property
    def roots(self) -> tuple[str, ...]:
        """What one of must be in a text that has any of the forms."""
        if self.infinitive in _IRREGULAR:
            return self.infinitive, self.did, self.we_did, self.done, self.does, self.was_done, self.doing
        return (self.infinitive[: -3 if self.infinitive[-3] in "cgz" else -2],)


_IRREGULAR = {
    forms.infinitive: forms
    for forms in (
        Forms("hacer", "hice", "hicimos", "hech", "hago", "hizo", "haciendo"),
        Forms("deshacer", "deshice", "deshicimos", "deshech", "deshago", "deshizo", "deshaciendo"),
        Forms("poner", "puse", "pusimos", "puest", "pongo", "puso", "poniendo"),
        Forms("posponer", "pospuse", "pospusimos", "pospuest", "pospongo", "pospuso", "posponiendo"),
        Forms("incluir", "incluí", "incluimos", "incluid", "incluyo", "incluyó", "incluyendo"),
        Forms("sustituir", "sustituí", "sustituimos", "sustituid", "sustituyo", "sustituyó", "sustituyendo"),
        Forms("corregir", "corregí", "corregimos", "corregid", "corrijo", "corrigió", "corrigiendo"),
        Forms("revertir", "revertí", "revertimos", "revertid", "revierto", "revirtió", "revirtiendo"),
        Forms("mover", "moví", "movimos", "movid", "muevo", "movió", "moviendo"),
        Forms("transferir", "transferí", "transferimos", "transferid", "transfiero", "transfirió", "transfiriendo"),
    )
}


def spanish_forms(infinitive: str) -> Forms:
    """The forms of a verb: registrar → registré, registramos, registrad-, registro, registró, registrando."""
    if infinitive in _IRREGULAR:
        return _IRREGULAR[infinitive]
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending != "ar":
        return Forms(infinitive, f"{stem}í", f"{stem}imos", f"{stem}id", f"{stem}o", f"{stem}ió", f"{stem}iendo")
    soft = stem[:-1] + {"c": "qu", "g": "gu", "z": "c"}.get(stem[-1], stem[-1])
    return Forms(infinitive, f"{soft}é", f"{stem}amos", f"{stem}ad", f"{stem}o", f"{stem}ó", f"{stem}ando")


def english_doing(infinitive: str) -> str:
    """place → placing, cancel → cancelling (or canceling), put → putting."""
    if infinitive.endswith("e"):
        return f"{infinitive[:-1]}ing"
    return (
        f"{infinitive}{infinitive[-1]}?ing"
        if infinitive in {"cancel", "put", "submit", "transfer"}
        else f"{infinitive}ing"
    )
