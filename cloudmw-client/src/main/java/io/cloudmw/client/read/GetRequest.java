package io.cloudmw.client.read;

import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.sink.FileSink;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.client.sink.PositionalSink;
import io.cloudmw.client.sink.StreamSink;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.Location;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request to read one file or a range of it.
 *
 * @param version empty: the current one
 * @param range empty: all of it
 * @param mode empty: the volume's
 * @param path empty: the client's
 * @param memoryBytes memory of this get
 * @param deadline the time in which it should end; empty: the volume's target
 * @param priority its priority at helpers
 * @param location the reader's location
 */
public record GetRequest(
        FilePath file,
        Optional<VersionId> version,
        Optional<ByteRange> range,
        Optional<Mode> mode,
        Optional<ReadPath> path,
        Destination destination,
        long memoryBytes,
        TransferListener listener,
        Optional<Duration> deadline,
        Priority priority,
        Location location) {
    /** A destination of the bytes: one of the three. */
    public record Destination(
            @Nullable Path file,
            boolean force,
            boolean keep,
            @Nullable WritableByteChannel channel,
            @Nullable PositionalTarget target) {
        /**
         * A file, which is replaced when every byte is there; {@code force}: and on the disk; {@code keep}: after a
         * failure, the bytes that arrived stay for the next get of the file.
         */
        public static Destination file(Path file, boolean force, boolean keep) {
            return new Destination(file, force, keep, null, null);
        }

        /** A channel, written in order; it stays open. */
        public static Destination channel(WritableByteChannel channel) {
            return new Destination(null, false, false, channel, null);
        }

        /** A target, written in any order. */
        public static Destination target(PositionalTarget target) {
            return new Destination(null, false, false, null, target);
        }

        LeafSink sink(ByteRange wanted) {
            if (file != null) {
                return new FileSink(file, wanted.length(), force, keep);
            }
            if (channel != null) {
                return new StreamSink(channel, wanted);
            }
            if (target != null) {
                return new PositionalSink(target, wanted);
            }
            throw new IllegalStateException("no destination");
        }
    }
}
