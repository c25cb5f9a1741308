"""The web server: play, analyse, review, watch runs and read the league in the browser.

python -m web        on this machine, port 8000; opens the browser
"""

import console as console  # first: it handles Ctrl-C during imports
