"""Bakery words that mean the same in Spanish and English, and pack wording.

Every line is one meaning, in its forms; folded, singular. Used only when the
menu itself has no such word.
"""

from __future__ import annotations

from typing import Final

from orders.offline.tables import word_set

SAME_MEANING: Final = """
pan bread
bebida bebidas drink drinks beverage tomar beber
postre postres dessert desserts dulce dulces sweet sweets
queso cheese
frijol bean frijoles
cafe coffee
grande large big lg
pequeno small chico sm chiquito
mediano medium
leche milk
jugo zumo juice
naranja orange
agua water
pastel torta tarta cake ponque
galleta cookie
dona donut doughnut rosquilla
glaseado glazed
vainilla vanilla
fresa strawberry
frutilla strawberry
frambuesa raspberry
arandano blueberry
limon lemon
lima lime
manzana apple
durazno melocoton peach
canela cinnamon
mantequilla butter manteca
nuez nut walnut
almendra almond
zanahoria carrot
calabaza pumpkin ayote
avena oat oatmeal
te tea
rollo roll
integral wholewheat wheat
entero whole
rebanada slice
rebanado sliced cortado tajado
racion porcion trozo pedazo slice
pollo chicken
carne beef meat
res beef
jamon ham
huevo egg
camaron shrimp
cerdo pork
atun tuna
cebollin scallion chive
salmon lox
crema cream
queso-crema cream-cheese
chispas chip
relleno filling stuffed
vela candle
bizcocho sponge
croissant cruasan medialuna cuerno
napolitana pain-au-chocolat
bocadillo sandwich bocata emparedado sanduche
panecillo bun roll
masa-madre sourdough
centeno rye
ajonjoli sesame
pasa raisin
mora blackberry
coco coconut
pina pineapple
miel honey
azucar sugar
sal salt
blanco white
negro black
frio cold iced
caliente hot
helado ice-cream
espinaca spinach
gaseosa soda refresco
cuarto quarter
persona people person serving
libra pound lb
kilo kg kilogram
pulgada inch
barra loaf barre
magdalena muffin
""".strip()

#: Names of packs in a product's own name: "(bolsa de 6)", "(dozen)", "x30".
PACK_PATTERNS: Final = (
    r"\((?:\D*\b)?(\d+) ?(?:piezas|unidades|pieces|pcs|pack|ct)\)",
    r"(?:bolsa|caja|paquete|bandeja|pack|bag|box) (?:de|of) (\d+)\b(?! ?(?:g|gr|kg|ml|cl|l|oz)\b)",
    r"\b(?:x|por) ?(\d+)\b(?! ?(?:g|gr|kg|ml|cl|l|oz)\b)",
)
PACK_DOZENS: Final = r"\((\d+ )?(?:docenas?|dozens?)\)"

#: Words that name an allergen, folded; in a question about allergens they are no products.
ALLERGEN_NAMES: Final = word_set(
    """
    gluten trigo wheat lactosa lactose leche milk lacteo dairy huevo egg nuez nueces nut mani peanut
    cacahuate cacahuete almendra almond soya soja soy sesamo sesame ajonjoli azucar sugar
    """
)
