package io.cloudmw.client.read;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.client.read.ledger.ReadLedger;
import io.cloudmw.client.read.ledger.ReadScope;
import io.cloudmw.client.read.peer.ChunkPart;
import io.cloudmw.client.read.peer.PeerStage;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.client.sink.PartialFileCheck;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import org.jspecify.annotations.Nullable;

/**
 * The feed of a read's parts, in order. It takes chunks from the manifest and leaves out leaves that an interrupted get
 * kept. Chunks that peers hold go to the peers, all others to the delivery. Confined to the transfer's serial executor.
 */
final class PartFeed {
    /** Called on the transfer's executor. */
    interface Listener {
        /** Returns whether the read goes on. */
        boolean isReading();

        /** Returns whether the delivery has room for another part. */
        boolean wantsPart();

        /** The next part for the delivery. */
        void planned(ChunkPart part);

        /** A whole chunk is about to be read. */
        void began(ChunkPart chunk);

        /** No part follows. Called once. */
        void ended();

        void failed(CloudMwException cause);
    }

    private final ReadScope scope;
    private final ByteRange wanted;
    private final OpenChunks chunks;
    private final PeerStage peers;
    private final ManifestReader manifest;
    private final Listener listener;

    /** A check of kept leaves or a search for peers is under way. */
    private boolean searching;

    /** The next part, which has to wait; null: not known yet. */
    private @Nullable ChunkPart waiting;

    private boolean endReported;

    PartFeed(ReadScope scope, ByteRange wanted, OpenChunks chunks, PeerStage peers, Listener listener) {
        this.scope = scope;
        this.wanted = wanted;
        this.chunks = chunks;
        this.peers = peers;
        this.listener = listener;
        manifest = new ManifestReader(
                scope.context().coordinator(),
                scope.plan(),
                wanted,
                scope.serial(),
                this::pump,
                failure -> listener.failed(Failures.of(failure)));
    }

    /** Gives the delivery parts while it has room. */
    void pump() {
        while (listener.isReading() && !searching && listener.wantsPart() && advance()) {
            // Each part placed may leave room for the next.
        }
        boolean placed = !searching && waiting == null && peers.isIdle() && manifest.isEnded();
        if (listener.isReading() && !endReported && placed) {
            endReported = true;
            listener.ended();
        }
    }

    /** The search for peers is over. */
    void searched() {
        searching = false;
        pump();
    }

    /** Takes back a part of which peers bring no more; the delivery gets it next. */
    void takeBack(ChunkPart part) {
        peers.add(part);
    }

    /** Bytes that an interrupted get kept, of chunks that the delivery does not have. */
    long keptBytes() {
        return peers.openKeptBytes() + (waiting == null ? 0 : waiting.kept());
    }

    /** Bytes that peers brought, of chunks that the delivery does not have. */
    long peerBytes() {
        return peers.openBytes();
    }

    /** Idempotent. */
    void close(ErrorCode why) {
        manifest.close();
        peers.close(why);
    }

    /** Places the next part; false when there is none now, or it has to wait. */
    private boolean advance() {
        LeafSink sink = scope.sink();
        ReadLedger ledger = scope.ledger();
        ChunkPart left = peers.next();
        if (left != null) {
            listener.planned(left);
            return true;
        }
        if (sink.inOrder() && !peers.isIdle()) {
            return false;
        }
        ChunkPart next = waiting;
        if (next != null) {
            return place(next);
        }
        ManifestReader.Item item = manifest.poll();
        if (item == null) {
            return false;
        }
        if (ledger.isDone(item.chunk().chunk().index())) {
            return true;
        }
        if (item.chunk().chunk().range().offset() < sink.keptBytes()) {
            checkKept(item);
            return false;
        }
        return place(new ChunkPart(item, 0, 0, leaves(item)));
    }

    /** Gives a part to peers that hold it, or else to the delivery. */
    private boolean place(ChunkPart part) {
        waiting = part;
        if (!peers.knows(part)) {
            searching = true;
            peers.find(part, manifest.ahead(PeerStage.AHEAD - 1));
            return false;
        }
        boolean held = peers.isHeld(part);
        boolean itsTurn = !scope.sink().inOrder() || chunks.isEmpty();
        if (held && !(peers.hasRoom() && itsTurn)) {
            return false;
        }
        waiting = null;
        if (part.isWhole()) {
            listener.began(part);
        }
        if (!held || !peers.begin(part)) {
            listener.planned(part);
        }
        return true;
    }

    /** The leaves of a chunk that hold wanted bytes. */
    private ByteRange leaves(ManifestReader.Item item) {
        ByteRange range = item.chunk().chunk().range();
        long from = Math.max(range.offset(), wanted.offset()) - range.offset();
        long to = Math.min(range.end(), wanted.end()) - range.offset();
        return Leaves.covering(
                new ByteRange(from, to - from),
                range.length(),
                item.chunk().chunk().leafSizeBytes());
    }

    /** Finds out which leaves of a chunk an interrupted get kept. */
    private void checkKept(ManifestReader.Item item) {
        searching = true;
        ByteRange leaves = leaves(item);
        ClientContext context = scope.context();
        context.threads().files().execute(() -> {
            try {
                ByteRange missing =
                        PartialFileCheck.missing(scope.sink(), item.chunk().chunk(), leaves);
                scope.serial().execute(() -> keptChecked(item, leaves, missing));
            } catch (CloudMwException | RuntimeException e) {
                scope.serial().execute(() -> listener.failed(Failures.of(e)));
            }
        });
    }

    private void keptChecked(ManifestReader.Item item, ByteRange leaves, ByteRange missing) {
        searching = false;
        if (!listener.isReading()) {
            return;
        }
        long kept = leaves.length() - missing.length();
        scope.ledger().kept(kept, wanted.length());
        if (missing.isEmpty()) {
            scope.ledger().chunkDone(item.chunk().chunk().index());
        } else {
            waiting = new ChunkPart(item, kept, 0, missing);
        }
        pump();
    }
}
