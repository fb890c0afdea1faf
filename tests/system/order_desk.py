"""The desk of a core that trades: one line of a feed, a session, stops."""

from namespace import CORE_IP, CORE_MAC, KERNEL_IP, KERNEL_MAC

PORT = 9880
GROUP = "239.77.1.1"

DESK = f"""
[feed]
itch = "5.0"
lines = ["{GROUP}:26400"]
[statistics]
symbols = ["ABC"]
[report]
to = "{KERNEL_IP}:26501"
mac = "{KERNEL_MAC}"
[core]
mac = "{CORE_MAC}"
ip = "{CORE_IP}"
"""


def session(stops: str, more: str = "", decimals: int = 2) -> str:
    return f"""
[session]
peer = "{KERNEL_IP}:{PORT}"
sender = "ALICE"
target = "EX"
heartbeat = 0
client_order_id_prefix = "A"
{more}
instruments = [{{ symbol = "ABC", decimals = {decimals}, collar = "10", position = 1000000000 }}]
stops = [{stops}]
[session.limits]
max_quantity = 1000000
max_notional = "100000000"
rate_orders = 255
rate_ms = 0
max_open_orders = 60000
"""


def stop(quantity: int, side: str = "sell", trigger: str = "10.00", limit: str = "9.50") -> str:
    return f'{{ symbol = "ABC", side = "{side}", trigger = "{trigger}", limit = "{limit}", quantity = {quantity} }}'
