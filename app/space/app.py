"""The molclip demo, as a Hugging Face Space runs it."""

import os

from molclip.app.main import launch

# A Space says where to listen; anywhere else only this machine is let in.
launch(
    host=os.environ.get("GRADIO_SERVER_NAME", "127.0.0.1"),
    port=int(os.environ.get("GRADIO_SERVER_PORT", "7860")),
)
