"""What changes one open memory: reading notes, reviewing, correcting, following folders, taking away, forgetting.

Law: a property imports and makes one service, when it is first asked for. Every store of what was derived from rows and
is no row is registered here, in `_derived_stores`, and forgetting reaches it (DESIGN 3; rulings G, H).
"""

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from voice.wiring.open_memory import INDEX_FOLDER, OpenMemory
from voice.wiring.reading import ReadingServices

if TYPE_CHECKING:
    from voice.ports.removal import DerivedStore
    from voice.services.graph.conflicts import ConflictResolution, Conflicts
    from voice.services.graph.correct import Correcting
    from voice.services.graph.editor import GraphEditor
    from voice.services.graph.entity_merge import Merging
    from voice.services.graph.extraction import Extracting
    from voice.services.graph.model_extraction import ModelReading
    from voice.services.graph.vouching import Review
    from voice.services.imports.capture import SessionCapture
    from voice.services.imports.memory_files import Transfer
    from voice.services.imports.sync import FolderSync
    from voice.services.imports.withdrawn_notes import ImportUndo
    from voice.services.maintenance.doctor import OrphanRows
    from voice.services.removal.archives import Archives
    from voice.services.removal.forget import Forget
    from voice.services.removal.sentence_edits import SentenceEdits
    from voice.services.turn.organise import Organise


class ChangingServices(ReadingServices):
    """What reads and changes one open memory."""

    @cached_property
    def review(self) -> "Review":
        """Decides on what waits."""
        from voice.services.graph.vouching import Review

        stores = self.stores
        return Review.of(stores.candidates, stores.noted, stores.graph, self.ingest)

    @cached_property
    def extracting(self) -> "Extracting":
        """What reads notes and stages what they name; the model is made when notes are to be read by one."""
        from voice.services.graph.extraction import Extracting

        organise = self.settings.organise
        return Extracting(
            staging=self.review.staging,
            moderation=self.review.moderation,  # a person's links enter at once
            is_automatic=organise.auto_candidates,
            extractor=organise.extractor,
            make_model=lambda: model_reading_of(self),  # at the first note: it may need a key
        )

    @cached_property
    def organise(self) -> "Organise":
        """Answers in the notes' own words and stages what they name."""
        from voice.core.organise import OrganiseDefaults
        from voice.services.turn.organise import Organise

        group = self.settings.organise
        return Organise(
            retrieve=self.retrieve,
            extracting=self.extracting,
            ingest=self.ingest,
            removals=self.archiving.removals,
            defaults=OrganiseDefaults(
                top_k=group.top_k,
                sim_thresh=group.sim_thresh,
                db_limit=group.db_limit,
                auto_mark_removal=group.auto_mark_removal,
            ),
        )

    @property
    def graph_editor(self) -> "GraphEditor":
        """What adds entities, relations and statements by hand."""
        from voice.services.graph.editor import GraphEditor

        return GraphEditor(ingest=self.ingest)

    @property
    def correcting(self) -> "Correcting":
        """Corrects rows; see `voice.services.graph.correct.Correcting`."""
        from voice.services.graph.correction_consequences import CorrectionConsequences

        return replace(self._following_notes, beside=CorrectionConsequences(store=self.store, graph=self.graph))

    @property
    def _following_notes(self) -> "Correcting":
        """Corrects rows whose notes changed; it tells nothing of what stands beside them."""
        from voice.services.graph.correct import Correcting

        stores = self.stores
        return Correcting(ingest=self.ingest, graph=stores.graph, pins=stores.pins, candidates=stores.candidates)

    @property
    def sentence_edits(self) -> "SentenceEdits":
        """What changes single sentences."""
        from voice.services.removal.sentence_edits import SentenceEdits

        stores = self.stores
        return SentenceEdits(store=self.store, correcting=self.correcting, history=stores.history, forget=self.forget)

    @cached_property
    def merging(self) -> "Merging":
        """Makes two entities one, and two again."""
        from voice.services.graph.entity_merge import Merging

        stores = self.stores
        return Merging(log=stores.merges, graph=stores.graph, pins=stores.pins, ingest=self.ingest)

    @cached_property
    def conflicts(self) -> "Conflicts":
        """Finds what cannot both hold."""
        from voice.services.graph.conflicts import Conflicts

        log = self.stores.conflicts
        return Conflicts(store=self.store, names=self.names, log=log, clock=self.clock, key=self.key)

    @property
    def settling(self) -> "ConflictResolution":
        """What settles conflicts; see `voice.services.graph.conflicts.ConflictResolution`."""
        from voice.services.graph.conflicts import ConflictResolution

        return ConflictResolution(conflicts=self.conflicts, correcting=self.correcting)

    @cached_property
    def transfer(self) -> "Transfer":
        """Brings in and writes out memory files."""
        from voice.adapters.files.memory_files import LocalMemoryFiles
        from voice.adapters.files.synced_notes import SyncedFoldersFile
        from voice.services.imports.changed_notes import EditedNotes
        from voice.services.imports.memory_files import Transfer

        stores = self.stores
        return Transfer(
            files=LocalMemoryFiles(SyncedFoldersFile(self.home)),
            graph=stores.graph,
            tombstones=stores.ledger,  # the ledger of imports holds the tombstones
            ingest=self.ingest,
            edited=EditedNotes(history=stores.history, correcting=self._following_notes),  # it shows no consequences
            marks=self.marks,
        )

    @cached_property
    def following(self) -> "FolderSync":
        """Keeps the memory in step with folders of notes."""
        from voice.adapters.files.synced_notes import SyncedFoldersFile
        from voice.adapters.files.watched_folders import LocalNoteFolders
        from voice.services.imports.sync import FolderSync
        from voice.services.imports.withdrawn_notes import DeletedNotes

        stores, removals = self.stores, self.archiving.removals
        candidates, become = stores.candidates, self.settings.sync.gone
        return FolderSync(
            transfer=self.transfer,
            folders=LocalNoteFolders(removals.key),  # files are known by keyed hashes
            known=SyncedFoldersFile(self.home),
            history=stores.history,
            gone=DeletedNotes(removals=removals, candidates=candidates, forget=lambda: self.forget, become=become),
        )

    @property
    def import_undo(self) -> "ImportUndo":
        """What takes back what an import stored."""
        from voice.services.imports.withdrawn_notes import ImportUndo

        return ImportUndo(gone=self.following.gone, extracting=self.extracting)

    @cached_property
    def capturing(self) -> "SessionCapture":
        """Takes in the sessions of agents that ended."""
        from voice.adapters.files.memory_files import LocalMemoryFiles
        from voice.adapters.system.host_settings import codex_home
        from voice.adapters.system.spool import FileSpool, LocalWorkingTree
        from voice.services.imports.capture import SessionCapture

        globs = self.settings.capture.globs
        return SessionCapture(
            spool=FileSpool(self.home, codex_home(Path.home(), os.environ) / "sessions"),  # for sessions without a path
            tree=LocalWorkingTree(),
            files=LocalMemoryFiles(),
            ingest=self.ingest,
            ignored=tuple(os.path.expanduser(glob) for glob in globs),  # noqa: PTH111 - a glob
        )

    @cached_property
    def archiving(self) -> "Archives":
        """Marks, archives, takes away and brings back; a relative archive directory is below the data directory."""
        from voice.adapters.archive.directory import LocalArchives
        from voice.adapters.system.data_directory import archives_in
        from voice.core.graph.removal.lifecycle import Retention
        from voice.services.removal.archive_shelf import ArchiveShelf
        from voice.services.removal.archives import Archives
        from voice.services.removal.removals import DependentRows, Removals

        stores, group = self.stores, self.settings.archive
        directory = str(archives_in(self.home, group.directory))  # below the data directory, unless absolute
        removals = Removals(
            store=stores.memory,
            tombstones=stores.ledger,
            removed=stores.removed,
            undecided=stores.candidates,  # candidates tell which thoughts wait
            shelf=ArchiveShelf(files=LocalArchives(), directory=directory, store=stores.memory),
            taken_along=DependentRows(store=stores.memory, resting=stores.removed),
            clock=self.clock,
            retention=Retention(days=group.retention_days, timezone=self.timezone),  # days are the person's
            key=self.key,
        )
        return Archives(removals=removals, graph=stores.graph, ingest=self.ingest, form=group.format)

    @cached_property
    def forget(self) -> "Forget":
        """Forgets and redacts, in the archives of what was taken away, too."""
        from voice.adapters.system.forgettable_files import LocalTraceFiles
        from voice.services.removal.derived_stores import ForgottenArchives
        from voice.services.removal.forget import Forget

        stores, removals = self.stores, self.archiving.removals
        return Forget(
            store=stores.memory,
            tombstones=stores.ledger,
            sessions=stores.sessions,
            words=stores.words,
            pins=stores.pins,
            capsules=stores.capsules,
            index=self.index,
            files=LocalTraceFiles(home=self.home, apart=_own_files(self)),  # found there, they would go as traces
            clock=removals.clock,
            encoding=(self.embedder.model, self.embedder.dim),
            key=removals.key,
            shelved=ForgottenArchives(shelf=removals.shelf),
            elsewhere=_derived_stores(self),
        )

    @cached_property
    def torn(self) -> "OrphanRows":
        """Finds notes that were stored in part, and mends them."""
        from voice.services.maintenance.doctor import OrphanRows

        return OrphanRows(rows=self.stores.torn, ingest=self.ingest, index=self.index)


def _own_files(opened: OpenMemory) -> frozenset[Path]:
    """Return what the program keeps in the data directory, where no trace is looked for."""
    from voice.adapters.files.synced_notes import FOLDERS_NAME
    from voice.adapters.surreal.location import swap_paths
    from voice.adapters.system.agent_records import RECORD_FILES
    from voice.adapters.system.config_file import CONFIG_NAME
    from voice.adapters.system.data_directory import KEY_NAME, STORE_NAME
    from voice.adapters.system.import_marks import IMPORTS_FOLDER

    names = (INDEX_FOLDER, KEY_NAME, CONFIG_NAME, FOLDERS_NAME, IMPORTS_FOLDER, STORE_NAME, *RECORD_FILES)
    directory = opened.stores.directory
    store = () if directory is None else (directory, *swap_paths(directory))  # None: nothing on disk
    return frozenset({*(opened.home / name for name in names), *store})


def _derived_stores(opened: OpenMemory) -> "tuple[DerivedStore, ...]":
    from voice.adapters.system.forgettable_files import ForgottenRecords
    from voice.services.removal.derived_stores import ForgottenCandidates, ForgottenConflicts

    return (
        ForgottenCandidates(store=opened.stores.candidates),
        ForgottenConflicts(log=opened.stores.conflicts),
        ForgottenRecords(file=opened.agent_records),
    )


def model_reading_of(opened: OpenMemory) -> "ModelReading":
    """Return what the model that writes reads notes with. Raises ConfigurationError: the provider is the offline one,
    which reads nothing, or needs a key and there is none."""
    from voice.adapters.files.prompts import load_prompts
    from voice.adapters.llm.model_facts import counter_of
    from voice.core.errors import ConfigurationError
    from voice.services.graph.model_extraction import ModelReading

    llm = opened.model
    if llm.profile.provider == "extractive":  # it composes answers and writes nothing
        raise ConfigurationError(
            "the offline provider reads no notes: set SURR_INNER_VOICE_PROVIDER to a language model, "
            "or let the rules read (SURR_EXTRACTOR=rules, --extractor rules)"
        )
    return ModelReading(
        llm=llm,
        counter=counter_of(llm.profile),
        prompts=load_prompts(),
        clock=opened.clock,
        ids=opened.ids,
        spending=opened.spending,
        limits=opened.settings.llm,
        allow_private_remote=opened.settings.privacy.allow_private_remote,
    )
