"""A customer with a telephone: writes through signed webhooks, reads what Twilio was given."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from tests.e2e.stack import Stack
from tests.wire.twilio import ACCOUNT_SID, TwilioApi, signed_request


@dataclass(frozen=True)
class Texting:
    """One customer's number. ``whatsapp`` False writes by SMS."""

    stack: Stack
    twilio: TwilioApi
    number: str
    whatsapp: bool = True

    @property
    def address(self) -> str:
        return f"whatsapp:{self.number}" if self.whatsapp else self.number

    @property
    def channel(self) -> str:
        return "twilio_whatsapp" if self.whatsapp else "twilio_sms"

    def write(self, text: str, sid: str = "") -> str:
        """Post one message as Twilio would; its MessageSid."""
        sid = sid or f"SM{uuid.uuid4().hex}"
        assert signed_request(self.stack.url, "/webhooks/twilio", self.form(text, sid)) == 200
        return sid

    def form(self, text: str, sid: str) -> dict[str, str]:
        form = {
            "MessageSid": sid,
            "SmsMessageSid": sid,
            "AccountSid": ACCOUNT_SID,
            "From": self.address,
            "To": "whatsapp:+15550100188" if self.whatsapp else "+15550100199",
            "Body": text,
            "NumMedia": "0",
            "NumSegments": "1",
            "ApiVersion": "2010-04-01",
        }
        return form | ({"ProfileName": "Ana", "WaId": self.number.strip("+")} if self.whatsapp else {})

    def heard(self) -> list[str]:
        """What was sent to this customer, in order."""
        return [message["body"] for message in self.twilio.messages if message["to"] == self.address]

    def hears(self, count: int, seconds: float = 30) -> list[str]:
        """The same, once there are ``count`` messages; fails if there are more."""
        self.stack.until(lambda: len(self.heard()) >= count, f"{count} messages, {self.heard()}", seconds)
        heard = self.heard()
        assert len(heard) == count, heard
        return heard

    def order_numbers(self) -> list[str]:
        """The numbers to say aloud ("C-17") of this customer's orders."""
        rows = self.stack.sql(
            """SELECT b.letter || '-' || o.day_no FROM orders_order o JOIN orders_branch b ON b.id = o.branch_id
               JOIN orders_customercontact c ON c.customer_id = o.customer_id
               WHERE c.address = %s AND c.channel = %s ORDER BY o.id""",
            self.number,
            self.channel,
        )
        return [number for (number,) in rows]

    def orders(self) -> list[tuple[str, str, int]]:
        """(number, state, lines) of this customer's orders, by plain SQL."""
        return [
            (str(code), state, lines)
            for code, state, lines in self.stack.sql(
                """SELECT o.code, o.state, count(l.id) FROM orders_order o
                   JOIN orders_customercontact c ON c.customer_id = o.customer_id
                   LEFT JOIN orders_orderline l ON l.order_id = o.id
                   WHERE c.address = %s AND c.channel = %s GROUP BY o.id ORDER BY o.id""",
                self.number,
                self.channel,
            )
        ]
