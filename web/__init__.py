"""The web server: play, analyse, review, watch runs and read the league in the browser.

python -m web        on this machine, on a free port; opens the browser
"""

import console as console  # first: it handles Ctrl-C during imports
