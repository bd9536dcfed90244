package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.PeerSettings;
import io.cloudmw.cli.output.Receipts;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.peer.PeerNode;
import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.VolumeName;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command that reads files and serves their chunks to peers until it is interrupted. */
@Command(
        name = "peer",
        mixinStandardHelpOptions = true,
        description = "Read files of volumes that allow it, and serve their chunks to neighbours until interrupted.")
public final class PeerCommand extends ClientCommand {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    /** The number of checks after which a failed announcement ends the command. */
    private static final int LOOKS = 100;

    /**
     * The chunks that this peer holds, out of those it has read.
     *
     * @param keepBytes the limit of the cache
     */
    public record Held(int chunks, long bytes, long readChunks, long readBytes, long keepBytes) {
        /** Returns whether the files exceed the limit of the cache. */
        private boolean isTooMuch() {
            return readBytes > keepBytes;
        }

        /** Refuses a cache without room for any chunk: the peer would serve nothing. */
        void requireAny() {
            if (chunks == 0 && isTooMuch()) {
                throw new IllegalArgumentException("keep: " + Sizes.format(keepBytes)
                        + " (expected: room for a chunk; the cache holds none of "
                        + Receipts.count(readChunks, "chunk") + ", " + Sizes.format(readBytes) + ")");
            }
        }

        @Override
        public String toString() {
            if (chunks >= readChunks) {
                return Receipts.count(chunks, "chunk") + " (" + Sizes.format(bytes) + ")";
            }
            return chunks + " of " + Receipts.count(readChunks, "chunk") + " (" + Sizes.format(bytes) + " of "
                    + Sizes.format(readBytes) + ")" + (isTooMuch() ? ": --keep is too small for the rest" : "");
        }
    }

    @Parameters(arity = "1..*", paramLabel = "VOLUME:/PATH")
    private List<String> files = new ArrayList<>();

    @Mixin
    private PeerSettings peer = new PeerSettings();

    public PeerCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        List<FilePath> wanted = files.stream().map(FilePath::parse).distinct().toList();
        for (VolumeName volume :
                new TreeSet<>(wanted.stream().map(FilePath::volume).toList())) {
            if (!Calls.await(client.volumes().get(volume)).peers()) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "volume " + volume + ": does not allow peers (cloudmw volume set " + volume + " --peers)");
            }
        }
        PeerOptions how = peer.over(options.peerSettings(), context.environment());
        PeerNode node = client.servePeers(how);
        long chunks = 0;
        long bytes = 0;
        long fromPeers = 0;
        for (FilePath file : wanted) {
            GetReceipt receipt = Calls.await(client.files()
                    .read(
                            file,
                            (offset, read) -> written(node),
                            GetOptions.defaults().withPriority(Priority.BATCH)));
            chunks += receipt.chunks();
            bytes += receipt.bytes();
            fromPeers += receipt.peerBytes();
        }
        node.awaitWritten();
        Held held = new Held(node.heldChunks(), node.heldBytes(), chunks, bytes, how.keepBytes());
        held.requireAny();
        for (int looks = 1; !node.isAnnounced(); looks++) {
            Optional<CloudMwException> failure = node.announcementFailure();
            if (looks > LOOKS && failure.isPresent()) {
                throw failure.get();
            }
            context.pause(BETWEEN_LOOKS);
        }
        serving(node, held, fromPeers);
        while (true) {
            context.pause(Duration.ofHours(1));
        }
    }

    /** Waits until the bytes read so far are on disk, so that the read is no faster than the disk. */
    private static void written(PeerNode node) throws InterruptedIOException {
        try {
            node.awaitWritten();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for chunks to be written to disk");
        }
    }

    private void serving(PeerNode node, Held held, long fromPeers) {
        if (options.json()) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("peer", node.id().value());
            answer.put("address", node.address());
            answer.put("bytes", held.readBytes());
            answer.put("peer_bytes", fromPeers);
            answer.put("held_bytes", held.bytes());
            answer.put("held_chunks", held.chunks());
            answer.put("chunks", held.readChunks());
            context.out().printJson(answer);
        } else {
            say("%s at %s serves %s", node.id(), node.address(), held);
        }
        context.out().flush();
    }
}
