"""What Spanish questions and requests sound like: patterns over folded text, by intent."""

from __future__ import annotations

from typing import Final

from orders.offline.tables import patterns, word_set

PHRASES: Final = {
    "attack": patterns(
        r"""
        \b(?:ignor|olvid)\w* (?:todas? )?(?:tus|las|mis|sus|cualquier|lo)\b.*(?:instruc|reglas|anterior)
        \bsin restricciones\b
        \bmodo (?:admin|desarrollador|dios)\b
        \bcontrasena\b
        \bprompt\b
        \b(?:cupon|codigo)\b.*\b[a-z]+\d+\b
        \bmuestra(?:me)? tus instrucciones\b
        \ba (?:0|cero) pesos\b
        \b(?:pon|cambia|fija)\w* el precio\b
        \bgratis\b.*\b(?:orden|instruc|jefe|dueno)
        """
    ),
    "privacy_probe": patterns(
        r"""
        \b(?:telefono|numero|direccion|nombre|datos|pedidos?)\b.*\b(?:del|de la|de otr[oa]s?|
        de mis?) (?:otr[oa]s? )?(?:client|vecin|companer|senor|persona|muchach|ultim|jef)
        \b(?:que|quien|cuanto) (?:ha|han|encarg|pidi|orden)\w*\b.*\b(?:companer|vecin|client|otr[oa]s|jef|
        espos|novi)
        \bpidi\w+ antes que yo\b
        \bultimo cliente\b
        \botros clientes\b
        """
    ),
    "privacy_delete": patterns(
        r"""
        \b(?:borr|elimin|olvid|quit)\w* (?:todos )?(?:mis datos|mi (?:numero|informacion|cuenta|telefono))
        \bno (?:quiero|autorizo) que (?:guarden|usen|tengan)\b
        """
    ),
    "opt_out": patterns(
        r"""
        \bno (?:me |quiero )(?:manden|mande|envien|escriban|escriba|recibir|llegue\w*)\b(?:.*\b(?:mas|promo|
        mensaje|publicidad)|$)
        \b(?:dar|darme|denme) de baja\b
        \bdejen de (?:escribir|mandar|enviar)
        """
    ),
    "payment_proof": patterns(
        r"""
        \bya (?:le |te |les |os )?(?:consign|pagu|transfer|deposit|hice (?:el|la) (?:pago|transfer|
        consig))\w*
        \bcomprobante\b
        \bsoporte de pago\b
        \badjunto (?:el )?pago\b
        \bpantallazo\b
        """
    ),
    "invoice": patterns(
        r"""
        \bfactur(?:a|ar|acion|en|an|eme|ame)\b
        \b(?:cif|nif|nit|rfc|ruc)\b
        """
    ),
    "payment": patterns(
        r"""
        \b(?:aceptan|aceptais|aceptas|reciben|recibes|manejan|tienen|puedo pagar|se puede pagar|pagar|pago|
        cobrais)\b.*\b(?:tarjeta|efectivo|nequi|daviplata|bizum|transferencia|datafono|yape|sinpe|paypal|
        credito|debito|contado)
        \b(?:como|con que|donde) (?:se |te |le |os |les )?(?:puedo )?pag(?:o|ar|a|amos)\b
        \b(?:formas?|medios?|metodos?) de pago\b
        \b(?:tarjeta|efectivo|bizum|nequi|transferencia)\?
        """
    ),
    "human": patterns(
        r"""
        \b(?:hablar|comunic\w+|pas\w+|atien\w+|aten\w+|quiero|necesito|(?<!se )llam(?:a|e|ar|en|ad))\b.*\b(?:persona|
        humano|asesor\w*|agente|encargad[oa]|alguien|gerente|duen[oa]|operador\w*|empleado)\b
        \b(?:una?|con) (?:persona|humano|asesor) (?:real|de verdad|humano)\b
        \beres (?:un )?(?:robot|bot)\b
        """
    ),
    "complaint": patterns(
        r"""
        \b(?:llego|llegaron|estaba|estaban|vino|salio|venia|venian)\b.*\b(?:frio|fria|frios|crud\w+|
        quemad\w+|mal|dur[oa]s?|aplastad\w+|incomplet\w+|equivocad\w+|tarde|rot[oa]s?|viej[oa]s?|agri[oa]|
        sin)\b
        \bfalt(?:o|aron|aba|aban)\b
        \bnunca llego\b
        \bno (?:me )?(?:ha llegado|llego)\b
        \bqueja\b
        \breclam\w+
        \b(?:pesim|horribl|terribl|asquero)\w+
        \bme (?:cobraron|dieron|mandaron) (?:de mas|mal|otr[oa])
        \bdevoluc\w+
        \breembols\w+
        \bse equivocaron\b
        \bmal servicio\b
        \bencontre un pelo\b
        """
    ),
    "change_placed": patterns(
        r"""
        \b(?:cambi|modific|mover|mueve|adelant|atras|corr|agreg|anad|sum|quit)\w*\b.*\b(?:mi|el|del|
        al) (?:pedido|encargo|orden)\b
        \b(?:mi|el) (?:pedido|encargo|orden)\b.*\b(?:cambi|modific|mover|agreg|anad)\w*
        \b(?:cambi|modific|agreg|anad|quit)\w*\b.*\b[a-z]-\d{1,4}\b
        """
    ),
    "cancel": patterns(
        r"""
        \b(?:cancel|anul)\w*\b.*\b(?:pedido|encargo|orden|pastel|torta|tarta|roscon|[a-z]-\d+|todo)\b
        \b(?:cancel|anul)(?:a|ar|e|en|ame|eme|alo|elo|arlo|enlo)\b
        \bya no (?:quiero|voy a querer|necesito) (?:el|mi|la) (?:pedido|encargo|orden)\b
        """
    ),
    "status": patterns(
        r"""
        \b[a-z]-\d{1,4}\b
        \b(?:mi|el|del) (?:pedido|encargo|orden)\b.*\b(?:esta|listo|va|falta|demora|tarda|sale|estado)\b
        \b(?:ya|como|cuanto|cuando|donde|estado)\b.*\b(?:mi|el|del|de mi) (?:pedido|encargo|orden)\b
        \b(?:cuanto (?:le )?(?:falta|demora|tarda)|ya (?:esta|casi|va a estar))\b
        \besperando\b
        """
    ),
    "my_orders": patterns(
        r"""
        \bmis (?:pedidos|encargos|ordenes)\b
        \bque (?:he|tengo) (?:pedido|encargado)\b
        """
    ),
    "repeat": patterns(
        r"""
        \blo (?:mismo|igual|de siempre|de la ultima|del otro dia|de ayer)\b
        \bmismo (?:pedido|de siempre)\b
        \brepi(?:te|ta|tame|teme)\b
        \brepetir\b
        \bcomo (?:siempre|la (?:vez|ultima))
        """
    ),
    "allergens": patterns(
        r"""
        \balerg\w*
        \bceliac\w*
        \bintoleran\w*
        \balergenos?\b
        \bvegan\w*\b
        \btrazas\b
        \bdiabetic\w*
        \b(?:que|de que) (?:lleva|llevan|contiene|contienen|esta hech[oa]|estan hech[oa]s)\b
        \bingredientes?\b
        \b(?:tiene|tienen|lleva|llevan|contiene|contienen|trae|traen|hecho con|hay algo)\b.*\b(?:gluten|
        lactosa|leche|huevos?|nue(?:z|ces)|mani|cacahuates?|cacahuetes?|almendras?|soya|soja|trigo|
        frutos secos|sesamo|ajonjoli|lacteos?|azucar)\b
        \b(?:apto|apta|aptos)\b
        \b(?:es|son) (?:sin|libres? de) (?:gluten|lactosa|lacteos|azucar)\b
        """
    ),
    "total": patterns(
        r"""
        \bcuanto (?:es|seria|serian|va|vamos|llevo|queda|quedaria|suma|sale|saldria|te debo|le debo|debo|
        me sale|me cobra\w*|costaria\w*)\b
        \b(?:el|en) total\b
        \bcuanto (?:seria|es) todo\b
        """
    ),
    "price": patterns(
        r"""
        \bcuanto (?:cuesta|cuestan|vale|valen|es|son|sale|salen|cobra\w*|esta|estan)\b
        \ba como\b
        \bprecios?\b
        \bque (?:vale|cuesta|precio)\b
        \ba cuanto\b
        \bcuanto por\b
        """
    ),
    "delivery": patterns(
        r"""
        \bdomicilios?\b
        \b(?:reparto|reparten|repartis|reparte)\b
        \benvios?\b
        \b(?:hacen|tienen|hay|haceis|cobran) (?:entregas?|delivery)\b
        \b(?:llevan|envian|mandan|entregan|traen|enviais|llevais) (?:a|al|hasta|en)\b
        \bdelivery\b
        """
    ),
    "nearby": patterns(
        r"""
        \b(?:mas )?cercan[oa]s?\b
        \bmas cerca\b
        \b(?:queda\w*|hay|esta[ns]?|tienen|tienes)\b.*\bcerca\b
        \b(?:sedes?|sucursal(?:es)?|locales|local|tiendas?|puntos?|panaderias?)\b.*\bcerca\b
        \bcerca (?:de|a) (?:mi|aqui|aca|donde|nosotros)\b
        """
    ),
    "hours": patterns(
        r"""
        \bdonde (?:estan|esta|quedan?|es|os encuentro|se encuentran)\b|\bubicad\w+|\bubicacion\b
        \b(?:la|su|que) direccion\b
        \b(?:que|a que|cual) hora\w*\b.*\b(?:abr|cierr|cerr|atiend|aten)
        \bhorarios?\b
        \b(?:abren|abre|abris|abrireis|abriran|abierto|abiertos|abierta|cierran|cierra|cerrais|cerrado|
        atienden|trabajan|estan abiertos)\b
        \bhasta que hora\b
        \bdesde que hora\b
        """
    ),
    "menu": patterns(
        r"""
        \b(?:menu|carta|catalogo|lista de (?:precios|productos))\b
        \bque (?:mas )?(?:\w+ ){0,2}(?:tienen|tienes|teneis|tiene|venden|hay|ofrecen|manejan|hacen|vende|
        tenes)\b
        \bque me (?:recomiend|ofrec)\w*
        \bcuales (?:son|tienen|hay)\b
        \bque sabores\b
        """
    ),
    "availability": patterns(
        r"""
        \b(?:tienen|tienes|teneis|tiene|tenes|hay|queda|quedan|manejan|venden|hacen|haceis|les queda|
        te queda)\b
        \bya (?:salio|salieron|hay|esta listo el|estan los)\b
        \bdisponib\w*
        \bconsigo\b
        """
    ),
}

#: Words that greet, thank, agree or refuse; a turn of nothing else is just that.
GREETINGS: Final = word_set(
    """
    hola holaa holis hello hi hey buenas buenos buen bon dia dias tarde tardes noche noches que tal
    saludos como esta estas estan va muy bienvenido aloo alo vecino vecina veci amigo amiga senor
    senora
    """
)
THANKS: Final = word_set(
    """
    gracias muchas mil muchisimas graciass ok okay vale perfecto listo bueno muy amable buenas
    noches noche tardes tarde dia dias feliz hasta luego manana chao adios bye nos vemos dios le
    bendiga pague
    """
)
YES: Final = word_set(
    """
    si sii sip claro dale listo ok okay vale bueno perfecto correcto exacto confirmo confirmado
    confirmar acepto asi esta bien de acuerdo una hagale venga va sale simon cabal adelante eso por
    favor porfa gracias pidelo hazlo todo pedirlo pidalo veci vecino vecina amor senora senor amigo
    amiga
    """
)
NO: Final = word_set(
    """
    no nop nel nada ninguno ninguna claro que quiero mejor asi dejalo dejelo deje ya cancela cancelalo
    gracias espere espera mmm todavia aun por ahora mas eso es todo seria
    """
)

#: Takes up the offer of a person, after "shall I call one?".
CALLS: Final = patterns(
    r"""
    \bllam(?:a|e|en|ad|ar)(?:me)?(?:l[aeo]s?)?\b
    \b(?:pasa|pase|pasen|comunica|comunique|comuniquen|conecta|conecte)(?:me|nos)?(?:l[aeo]s?)?\b
    \bque (?:me|nos) (?:llamen?|escriban?|atiendan?|contesten?|respondan?|ayuden?)\b
    \b(?:hablar|persona|alguien)\b
    """
)

#: Verbs of ordering.
ORDERING: Final = patterns(
    r"""
    \b(?:quier[oae]\w*|quisiera\w*|voldria|dame|deme|denme|me (?:da|das|dais|pone|pones|manda|mandas|
    regala|guarda|guardas|aparta|apartas|vende|trae|hace|envia)|pon(?:me|game|eme|es)?|necesito|deseo|
    pedir|encargar|encarg(?:o|ar)|apart(?:a|e)me|reserv(?:a|e)me|para (?:recoger|llevar)|ocupo|
    se me antoja|vamos a querer|voy a querer)\b
    """
)
