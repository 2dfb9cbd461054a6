"""What English questions and requests sound like: patterns over folded text, by intent."""

from __future__ import annotations

from typing import Final

from orders.offline.tables import patterns, word_set

PHRASES: Final = {
    "attack": patterns(
        r"""
        \b(?:ignore|forget|disregard|override)\b.*\b(?:instructions?|rules|prompt)\b
        \b(?:you are|youre|act as|pretend)\b.*\b(?:dan|admin|developer|unrestricted|root)\b
        \badmin mode\b
        ^system ?:
        \bset (?:the )?price\b
        \b(?:system )?prompt\b
        \bpassword\b
        \bapi key\b
        \bjailbreak\b
        \bcoupon\b
        \bpromo code\b
        """
    ),
    "privacy_probe": patterns(
        r"""
        \b(?:phone|number|address|name|orders?)\b.*\b(?:of|from|for) (?:the|your|another|other|my) (?:last|
        previous|other|next)?\s*(?:customers?|clients?|neighbou?rs?|coworkers?|boss|person)\b
        \b(?:who|what)(?: else)? (?:did|has|have|ordered)\b.*\b(?:customer|neighbou?r|coworker|else|boss|
        wife|husband)
        """
    ),
    "privacy_delete": patterns(
        r"""
        \b(?:delete|erase|remove|forget) (?:all )?my (?:data|info\w*|number|account|details)\b
        """
    ),
    "opt_out": patterns(
        r"""
        \b(?:stop|quit) (?:sending|texting|messaging|contacting)\b
        \bunsubscribe\b
        \bno more (?:messages|texts|promo\w*)\b
        \b(?:dont|do not) (?:send|text|message)\b
        """
    ),
    "payment_proof": patterns(
        r"""
        \b(?:i )?(?:just |already )?(?:sent|made|did) (?:the |my |you )?(?:payment|deposit|transfer|money)\b
        \balready paid\b
        \bi(?:ve)? paid\b
        \breceipt\b.*\battach
        \bscreenshot\b
        \bproof of payment\b
        """
    ),
    "invoice": patterns(
        r"""
        \binvoice\b
        \btax id\b
        \bein\b
        """
    ),
    "payment": patterns(
        r"""
        \b(?:accept|take|pay|paying)\b.*\b(?:card|cards|cash|venmo|zelle|apple pay|google pay|credit|debit|
        paypal|check)\b
        \b(?:how|where) (?:can|do|should) i pay\b
        \bpayment (?:methods?|options?)\b
        \b(?:cash|card) only\b
        """
    ),
    "human": patterns(
        r"""
        \b(?:talk|speak|chat|connect)\b.*\b(?:human|person|someone|somebody|agent|representative|manager|
        owner|staff|people)\b
        \b(?:call|get|pass|put)\b(?: \w+){0,4}? (?:a|an|the|your|some) (?:human|person|agent|representative|manager|
        owner)\b
        \breal (?:person|human)\b
        \bare you a (?:bot|robot)\b
        ^(?:human|agent|operator|representative)\W*$
        """
    ),
    "complaint": patterns(
        r"""
        \b(?:was|were|came|arrived|is|are)\b.*\b(?:cold|stale|burnt|burned|raw|wrong|smashed|crushed|late|
        soggy|moldy|hard as)\b
        \bmissing\b
        \bnever (?:arrived|came|got)\b
        \bcomplain\w*
        \brefund\b
        \bterrible\b
        \bawful\b
        \bovercharged\b
        \bwrong order\b
        \bfound a hair\b
        \bunacceptable\b
        """
    ),
    "change_placed": patterns(
        r"""
        \b(?:change|modify|move|update|reschedule|add|edit)\b.*\b(?:my|the) (?:order|pickup)\b
        \bmy order\b.*\b(?:change|modify|move|instead)\b
        \b(?:change|modify|move|update|add)\b.*\b[a-z]-\d{1,4}\b
        """
    ),
    "cancel": patterns(
        r"""
        \bcancel\b.*\b(?:order|cake|pie|it|[a-z]-\d+|everything)\b
        ^cancel\W*$
        \bcall off\b
        """
    ),
    "status": patterns(
        r"""
        \b(?:my|the) order\b.*\b(?:ready|done|status|yet|coming)\b
        \b(?:is|wheres|where is|status of|hows|how is|when will)\b.*\bmy order\b
        \bhow (?:much )?long(?:er)?\b.*\b(?:order|wait|ready)\b
        \bbeen waiting\b
        """
    ),
    "my_orders": patterns(
        r"""
        \bmy orders\b
        \bwhat (?:have i|did i) order(?:ed)?\b
        """
    ),
    "repeat": patterns(
        r"""
        \b(?:the )?same (?:as|thing|order|again)\b
        \bmy usual\b
        \bthe usual\b
        \blast time\b
        \breorder\b
        \bsame again\b
        """
    ),
    "allergens": patterns(
        r"""
        \ballerg\w*
        \bceliac\b
        \bintoleran\w*
        \bvegan\b
        \bdairy\b
        \bkosher\b
        \bwhat(?:s| is| are) in (?:the|your|an?|that|this)\b
        \bingredients?\b
        \btraces?\b
        \b(?:nut|gluten|dairy|egg|peanut|soy|lactose|sugar)[ -]free\b.*\?
        \b(?:are|is|does|do)\b.*\b(?:nut|gluten|dairy|egg|peanut|soy|lactose)[ -]free\b
        \b(?:contain|contains|have|has|any|made with)\b.*\b(?:gluten|nuts?|peanuts?|almonds?|dairy|milk|
        eggs?|soy|wheat|sesame|lactose)\b
        """
    ),
    "total": patterns(
        r"""
        \bhow much (?:is|would|will|for|does|do) (?:it|that|everything|all|i owe|be|this|the total)\b
        \b(?:whats|what is|the) total\b
        \bin total\b
        \bhow much (?:for|would|are|is) (?:\d+|a dozen|two|three|four|five|six|half)\b
        """
    ),
    "price": patterns(
        r"""
        \bhow much\b
        \bprices?\b
        \bwhat (?:do|does|would|is|are)\b.*\b(?:cost|price|run|charge)\b
        \bcost of\b
        \bwhats the (?:price|cost)\b
        """
    ),
    "delivery": patterns(
        r"""
        \bdeliver(?:y|ies|ing)?\b
        \bship(?:ping)?\b
        \bdoordash\b
        \bdrop (?:it )?off\b
        """
    ),
    "nearby": patterns(
        r"""
        \b(?:nearest|closest|nearby)\b
        \b(?:near|close to|closer to|around) (?:me|us|here|my (?:place|house|home|office|work))\b
        """
    ),
    "hours": patterns(
        r"""
        \bwhere (?:are|r) (?:you|u)\b|\blocated\b|\b(?:your|the) (?:address|location)\b
        \b(?:what time|when|how late|how early)\b.*\b(?:open|close|closing|opening)\b
        \bhours\b
        \b(?:are|is|r) (?:you|u|it|the \w+)(?: guys| all)? (?:\w+ )?(?:open|closed)\b
        \bopen (?:on|today|tomorrow|late|now|thanksgiving|christmas)\b
        """
    ),
    "menu": patterns(
        r"""
        \bmenu\b
        \bwhat (?:\w+ ){0,3}(?:do|can) (?:you|u|i)(?: guys| all)? (?:have|sell|make|offer|get|order)\b
        \bwhat (?:kinds?|types?|flavou?rs?|sorts?|else)\b
        \bwhats (?:good|available)\b
        \bprice list\b
        """
    ),
    "availability": patterns(
        r"""
        \b(?:do|dont) (?:you|u|ya)(?: guys| all)?(?: still)? (?:have|sell|make|carry|do)\b
        \b(?:are|is) there\b
        \bgot any\b
        \b(?:any|still)\b.*\b(?:left|available)\b
        \bin stock\b
        \bavailable\b
        \bsold out\b
        """
    ),
}

#: Words that greet, thank, agree or refuse; a turn of nothing else is just that.
GREETINGS: Final = word_set(
    """
    hello hi hey there good morning afternoon evening howdy how are you yo greetings
    """
)
THANKS: Final = word_set(
    """
    thanks thank you so much ty thx great perfect ok okay have a good nice day night evening bye see
    ya later awesome cool
    """
)
YES: Final = word_set(
    """
    yes yeah yep yup sure ok okay please pls confirm correct right do it go ahead place that sounds
    good perfect thanks thats
    """
)
NO: Final = word_set(
    """
    no nope nah not thanks thank you never mind nevermind wait hold on yet thats all it dont
    """
)

#: Takes up the offer of a person, after "shall I call one?".
CALLS: Final = patterns(
    r"""
    \b(?:call|pass|connect|transfer|put|hand) (?:me|us|them|him|her|one|someone|somebody)\b
    \b(?:talk|speak|person|human|someone|somebody)\b
    """
)

#: Verbs of ordering.
ORDERING: Final = patterns(
    r"""
    \b(?:want|wanna|need|id like|i would like|i'd like|like to order|can i (?:get|have|order)|
    could i (?:get|have)|may i have|get me|give me|gimme|lemme get|let me (?:get|have)|ill (?:have|take|
    get)|i'll (?:have|take|get)|order|pick ?up)\b
    """
)
