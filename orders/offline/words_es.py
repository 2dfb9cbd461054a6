"""Spanish words the offline order taker knows. Folded: no accents, lower case."""

from __future__ import annotations

from typing import Final

from orders.offline.tables import word_set, word_values

NUMBERS: Final = word_values(
    """
    cero 0 dos 2 tres 3 cuatro 4 cinco 5 seis 6 siete 7 ocho 8 nueve 9 diez 10 once 11 doce 12 trece
    13 catorce 14 quince 15 dieciseis 16 diecisiete 17 dieciocho 18 diecinueve 19 veinte 20 veintiun
    21 veintiuno 21 veintiuna 21 veintidos 22 veintitres 23 veinticuatro 24 veinticinco 25
    veintiseis 26 veintisiete 27 veintiocho 28 veintinueve 29 treinta 30 cuarenta 40 cincuenta 50
    sesenta 60 setenta 70 ochenta 80 noventa 90 cien 100 ciento 100 doscientos 200 doscientas 200
    trescientos 300 trescientas 300 cuatrocientos 400 quinientos 500 quinientas 500 dues 2 quatre 4
    cinc 5 sis 6 set 7 vuit 8 nou 9 deu 10
    """
)

ARTICLES: Final = word_set("un una unas uno unos")

OTHERS: Final = word_set("otra otras otro otros")

HALVES: Final = word_set("media medias medio medios mitad")

QUARTERS: Final = word_set("cuarto cuartos")

THOUSAND: Final = word_set("mil")

HUNDRED: Final = word_set("")

DOZENS: Final = word_set("dna docena docenas dotzena")

PAIRS: Final = word_set("par parcito parejita")

AND: Final = word_set("e i y")

SIZE_LEADS: Final = word_set("de del nro num numero para tamano")

#: Units of money and how much one is.
MONEY: Final = word_values(
    """
    peso 1 pesos 1 pesitos 1 dolar 1 dolares 1 euro 1 euros 1 varos 1 colones 1 lempiras 1 quetzales
    1 soles 1 luca 1000 lucas 1000 lks 1000
    """
)

#: Glue inside names ("frijol con queso"): never decides anything.
STOP: Final = word_set(
    """
    a al con d de del e el els en i l la las les lo los o u y
    """
)

#: Words around an order. They may go unexplained, and never count as a product.
FILLER: Final = word_set(
    """
    ademas ah ahi ahora ahorita algo alla almuerzo amiga amigo amor anda aparta apartame apartar
    aparteme aproximadamente aqui barrio bien bolsa bolsas bolsita bon buen buenas bueno buenos
    buscar cada caja cajas cajita caliente calientes calientica calienticas calientico calienticos
    calientito calientitos casa cena clase cobra cobran comer como costaria cuando debo cuanta cuanto
    cuenta cuesta cuestan cumple cumpleanos da dais dale dame dan dar das deme denme desayunar
    desayuno deseamos deseo dia dias diga disculpa disculpe don doraditas doradito doraditos eh
    encargame encargar encargo enfrente entonces equivoco
    equivoque era eran espera espere envia enviame enviar envieme envien es esa esas ese
    eso esos esposa esposo esta estas este estos familia favor favorcito fiesta fijese fin fresca
    frescas fresco frescos gracias guarda guardame guardar guardas guardeme gustan gustaria habra
    hace haceis hacen hacer haces haga hagame hay haz hazme hija hijo hijos hola holaa horneado
    horneados hoy igual iguales ir jefa jefe joven juego la le les listo llevar llevo lo local mama
    manda mandame mande mandeme manden manejan mas me mejor menos mi mija mijo mira mire mis mmm muy
    nada necesitamos necesito nena nene nina nino ninos noche noches nomas nos novena ocupo oficina
    oiga ok orden ordenar os oye pa papa para pasar pasare paso pedido pedir perdon perfecto pero
    persona pf pide pieza piezas plis podeis podemos podria podrias pon pone poneme poner ponga
    pongame pongan ponme por porfa porfavor porfi porfis precio precios pronto puede pueden puedes
    puedo pues pza pzas que queda quedan quedo queremos querer queria quieres quiero quisiera
    quisieramos rato recien recoger recogerlo recojo regala regalame regaleme reina reserva
    reservame reservar reserveme retirar reunion rey rica ricas rico ricos sabor sabores saldria
    sale salen se sea sean senor senora senorita seria serian si siempre solamente solo son su
    sucursal surtida surtidas surtido surtidos sus tacita tal talla tamano tambien tarde tardes taza
    tazas te tendra tendran teneis tenes tengo tienda tiene tienen tienes tipo toda todas todo todos
    tomar total traeme traer traigame tu uhh unas und unds unidad unidades uno unos us usted ustedes
    va vale valen vamos variada variadas variado variados vasito vaso vasos veci vecina vecinita
    vecino vende venden vendes venga voldria vos voy vull xfa ya yo
    """
)

#: After these a customer explains; the words up to the next pause are talk.
ASIDES: Final = word_set("aunque cuando pa para porque pues que")

#: Real words that are no misspelling of a product's name.
OTHER_WORDS: Final = word_set(
    """
    algo ayer cambio cancela cancelar cancele cancelo carro casa cerveza cosa cosas cual cuales dinero donde
    efectivo hamburguesa llave manana menos mesa mucho muchos nueva nuevo nuevos pasta pizza poco precio quien sopa
    tarjeta vino vuelto
    """
)

WEEKDAYS: Final = word_values(
    """
    lunes 0 martes 1 miercoles 2 jueves 3 viernes 4 sabado 5 sabados 5 domingo 6 domingos 6
    """
)

MONTHS: Final = word_values(
    """
    enero 1 febrero 2 marzo 3 abril 4 mayo 5 junio 6 julio 7 agosto 8 septiembre 9 setiembre 9
    octubre 10 noviembre 11 diciembre 12
    """
)

DAYS_AHEAD: Final = word_values(
    """
    hoy 0 manana 1 mana 1
    """
)

#: A clause starts at one of these; its effect on the draft follows.
ADDS: Final = word_set(
    """
    ademas agrega agregale agregame agregar agregue agreguele agregueme anade anadele anademe anadir
    aumenta aumentale aumenteme echale echeme incluye incluyeme pon ponele poneme poner ponga
    pongale pongame ponle ponme suma sumale sumame tambien
    """
)

#: What follows is not wanted.
WITHOUT: Final = word_set("sin ni")

REMOVES: Final = word_set(
    """
    borra borrame borrar borre borreme elimina eliminame eliminar elimine quita quitale quitame
    quitar quite quitele quiteme quiten retira retire saca sacale sacame saque saquele
    """
)

SETS: Final = word_set(
    """
    cambia cambiale cambiame cambiar cambie cambiele cambieme deja dejalas dejalo dejalos dejame deje
    dejelo dejemelo mejor realidad sea sean
    """
)
