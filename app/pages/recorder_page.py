"""The recorder: a throw of a phone, its moments of inertia, and a code that opens the page on a phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import panel as pn

import engine
from engine.body import ThrownBody
from engine.text.formatting import finish_sentence

from ..asset_files import render_template
from ..browser.page_links import page_link
from ..browser.script_api import ScriptApi
from ..server.worker import FILES, Progress, Task, Worker
from ..state.pages import throw
from ..views.controls.recorder import Recorder
from ..views.controls.recording_file import RecordingFile
from ..views.dialogs.html_block import HtmlBlock
from ..views.dialogs.notice import Notice
from ..views.dialogs.print_page import draw_qr_code, is_local
from ..views.dialogs.progress_notice import Heading
from .frame import card, column, share_width, side_by_side, whole_page

TITLE = "Record a throw"
RECORDED = "recording.csv"
"""The name of what is recorded here."""
FILE = "Choose a file …"
ABOUT_FILE = "Or drop a throw here that another app has recorded with accelerations. The server keeps nothing."


class RecorderPage:
    """The page of one visitor."""

    def __init__(self, notices: Sequence[str] = ()) -> None:
        self.api = ScriptApi()
        self.recorder = Recorder(self._take_recording, self.show_code)
        self.worker = Worker(FILES)
        self.file = RecordingFile(
            self._take_file,
            self.worker.stop,
            label=FILE,
            hint=ABOUT_FILE,
            word="",
            margin=8,
        )
        self._recording = ("", b"")
        self._notice = Notice(notices)
        self._heading = Heading(self.worker.stop, "Fitting the motion", self._fit)
        self._heading.set_title(TITLE)
        self._about = HtmlBlock(style="method-card", margin=0)
        self._about.html = render_template("recorder")
        self._result = HtmlBlock(style="method-card recorder-result", margin=0)
        self._code = HtmlBlock(style="method-card recorder-result", margin=0)

        self._publish([])

    def _publish(self, sentences: Sequence[str]) -> None:
        self.api.publish({"page": "recorder"}, sentences=[TITLE, *sentences])

    def _take_recording(self, table: str) -> None:
        self.file.say("")
        self.find_moments(RECORDED, table.encode())

    def _take_file(self, name: str, data: bytes, *_: object) -> None:
        self.file.say(name)
        self.find_moments(name, data)

    def find_moments(self, name: str, data: bytes) -> None:
        """Fit the moments to a recording, beside the page."""
        self._recording = (name, data)
        self._fit()

    def _fit(self) -> None:
        work = partial(fit_or_explain, *self._recording)
        self.worker.start(
            Task(work, self._show, self._heading.show_progress, self._refuse, self._heading.hide)
        )

    def _show(self, body: ThrownBody | ValueError | None) -> None:
        if body is None:
            self._heading.show_stopped("The fit was stopped.")
            return
        if isinstance(body, ValueError):
            self._refuse(body)
            return
        sentences = throw.describe_throw(body)
        with pn.io.hold():
            self._notice.show_sentences([])
            if self._recording[0] == RECORDED:
                self.recorder.mark_flight(body.part)
            self._result.html = render_template(
                "throw",
                moments=throw.list_moments(body),
                sentences=sentences,
                lab=throw.link_motion(body),
            )
            self._publish(sentences)

    def _refuse(self, error: Exception) -> None:
        self._result.html = ""
        self._notice.show_sentences([finish_sentence(str(error))])

    def show_code(self, address: str) -> None:
        """Show the code by which a phone opens this page at an address."""
        link = f"{address}{page_link('recorder')}"
        self._code.html = render_template(
            "phone-code", link=link, code=draw_qr_code(link), local=is_local(link)
        )

    def page(self) -> pn.Template:
        """Return the page to be served."""
        beside = pn.Column(self._result, self._code, margin=0, styles=share_width(1.0, 300))
        parts = side_by_side(
            card(self._about, self.recorder, self.file, styles=share_width(1.75, 320)), beside
        )
        return whole_page("recorder", column(self._notice, self._heading.panel, parts, self.api))


def fit_or_explain(
    name: str, data: bytes, cancel: engine.Cancellation, progress: Progress
) -> ThrownBody | ValueError:
    """Return the body of a recording, or the reason why there is none."""
    progress(0.0)
    try:
        return throw.fit_throw(name, data, cancel)
    except ValueError as refusal:
        return refusal


def make_page(query: Mapping[str, str], notices: Sequence[str]) -> pn.Template:
    """Return the page of a link's query, which has no words of its own."""
    return RecorderPage(notices).page()
