#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A two-stage operational amplifier in ngspice: bandwidth against power, with gain and phase margin.

Prints what vbo reads: both objectives, and the metrics that opamp.toml limits. ngspice is a Debian package."""
import json
import os
import re
import subprocess
import sys
import tempfile

NETLIST = """two-stage operational amplifier, 10 pF load
.param w1={w1}u w3={w3}u w6={w6}u ib={ib}u cc={cc}p rz={rz}k
.model n nmos level=1 vto=0.5 kp=170u lambda=0.1 gamma=0.4 phi=0.8 cgso=0.3n cgdo=0.3n tox=7.6n
.model p pmos level=1 vto=-0.5 kp=60u lambda=0.15 gamma=0.4 phi=0.8 cgso=0.3n cgdo=0.3n tox=7.6n
vdd vdd 0 1.8
vcm inp 0 dc 0.9 ac 1
* The bias current, mirrored to the tail and four times to the second stage.
iref nb 0 {{ib}}
m8 nb nb vdd vdd p w=20u l=0.5u
m5 tail nb vdd vdd p w=20u l=0.5u
m7 out nb vdd vdd p w=80u l=0.5u
m1 x inn tail vdd p w={{w1}} l=0.5u
m2 y inp tail vdd p w={{w1}} l=0.5u
m3 x x 0 0 n w={{w3}} l=0.5u
m4 y x 0 0 n w={{w3}} l=0.5u
m6 out y 0 0 n w={{w6}} l=0.5u
rz y z {{rz}}
cc z out {{cc}}
cl out 0 10p
* Feedback for the operating point alone: none of it is left at the frequencies of interest.
lf out inn 1g
cf inn 0 1
.control
op
let power = -1.8 * i(vdd) * 1e6
print power
ac dec 40 10 10g
meas ac gain find vdb(out) at=10
meas ac bandwidth when vdb(out)=0 fall=1
let phase = 180 / pi * cph(out)
meas ac at_unity find phase when vdb(out)=0 fall=1
quit
.endc
.end
"""


def measure(name, output):
    found = re.search(rf"^{name}\s*=\s*(\S+)", output, re.MULTILINE)
    return float(found.group(1)) if found else None


params = json.loads(os.environ["VBO_PARAMS"])
with tempfile.NamedTemporaryFile("w", suffix=".cir") as file:
    file.write(NETLIST.format(**params))
    file.flush()
    output = subprocess.run(["ngspice", "-b", file.name], capture_output=True, text=True).stdout
power, gain, bandwidth, phase = (measure(name, output) for name in ("power", "gain", "bandwidth", "at_unity"))
if power is None or gain is None:
    print("ngspice found no operating point:", output[-500:], file=sys.stderr)
    sys.exit(65)  # the input makes no sense
if bandwidth is None or phase is None:  # the gain is below 1 everywhere
    bandwidth, phase = 0.0, -180.0
print(json.dumps({"values": {"bandwidth_MHz": bandwidth / 1e6, "power_uW": power},
                  "metrics": {"gain_dB": gain, "phase_margin": 180.0 + phase}}))
