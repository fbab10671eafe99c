"""The web demo. `molclip app` starts it; `app.main` has `build_app` and `launch`."""

from .environment import prepare

# Gradio reads its settings when it is imported, and every module below comes after this one.
prepare()
