package io.cloudmw.hadoop.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.channel.RemoteOutputStream;
import io.cloudmw.hadoop.volume.HadoopErrors;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Objects;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream that writes a new version of a file. Its bytes are stored while they are written; the version appears, whole,
 * when the stream is closed. {@link #hflush} and {@link #hsync} make nothing visible: they are refused, or taken for a
 * {@link #flush}, as the settings say. Safe for any thread.
 */
public final class VolumeOutputStream extends OutputStream
        implements Syncable, Abortable, StreamCapabilities, IOStatisticsSource {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeOutputStream.class);

    private final Path path;
    private final RemoteOutputStream stored;
    private final boolean refusesSync;
    private final Completion completion;
    private final StreamCounters counters;

    /** Used by the holder of this stream's monitor. */
    private final OutputStream buffered;

    @GuardedBy("this")
    private boolean warned;

    /** The failure of an earlier step. */
    @GuardedBy("this")
    private @Nullable IOException failure;

    private volatile boolean closed;

    /** A step after the version has become visible. */
    @FunctionalInterface
    public interface Completion {
        void run() throws IOException;
    }

    /**
     * A stream into a put that has begun.
     *
     * @param stored closed or aborted with this
     * @param bufferBytes bytes that are collected before they are passed on, at least 1
     * @param refusesSync whether {@link #hflush} and {@link #hsync} throw
     * @param completion runs at the end of a close that succeeds
     */
    public VolumeOutputStream(
            Path path,
            RemoteOutputStream stored,
            int bufferBytes,
            boolean refusesSync,
            Completion completion,
            StreamCounters counters) {
        this.path = path;
        this.stored = stored;
        this.refusesSync = refusesSync;
        this.completion = completion;
        this.counters = counters;
        this.buffered = new BufferedOutputStream(stored, bufferBytes);
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new PathIOException(path.toString(), FSExceptionMessages.STREAM_IS_CLOSED);
        }
    }

    /** Runs a step, unless an earlier one failed: the buffer may hold bytes that were passed on before its failure. */
    @GuardedBy("this")
    private void attempt(Completion step) throws IOException {
        if (failure != null) {
            throw new PathIOException(path.toString(), "a write has failed, so nothing is stored", failure);
        }
        try {
            step.run();
        } catch (IOException e) {
            counters.add(StreamStatisticNames.STREAM_WRITE_EXCEPTIONS, 1);
            failure = HadoopErrors.of(path, e);
            throw failure;
        }
    }

    @Override
    public synchronized void write(int value) throws IOException {
        requireOpen();
        attempt(() -> buffered.write(value));
        counters.wrote(1);
    }

    @Override
    public synchronized void write(byte[] source, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.length);
        requireOpen();
        attempt(() -> buffered.write(source, offset, length));
        counters.wrote(length);
    }

    /** Passes collected bytes on; makes nothing visible. */
    @Override
    public synchronized void flush() throws IOException {
        if (!closed) {
            attempt(buffered::flush);
        }
    }

    @Override
    public void hflush() throws IOException {
        sync("hflush");
    }

    @Override
    public void hsync() throws IOException {
        sync("hsync");
    }

    private synchronized void sync(String call) throws IOException {
        requireOpen();
        if (refusesSync) {
            throw new UnsupportedOperationException(
                    path + ": " + call + " (a file becomes readable when its stream is closed)");
        }
        if (!warned) {
            warned = true;
            LOG.warn("{}: {} makes nothing readable before the stream is closed", path, call);
        }
        flush();
    }

    /**
     * Makes the version visible. A stream that failed throws its failure, and leaves the path as it was. Idempotent.
     */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            try {
                attempt(() -> {
                    buffered.flush();
                    stored.close();
                    completion.run();
                });
            } finally {
                stored.abort(); // no effect after a close
                counters.closed();
            }
        }
    }

    /** Gives the version up: the path stays as it was. A close after it does nothing. */
    @Override
    public AbortableResult abort() {
        boolean before = closed;
        closed = true;
        if (!before) {
            stored.abort(); // wakes a write under way
            counters.closed();
        }
        return new Aborted(before);
    }

    /** The result of an abort, which cannot fail. */
    private record Aborted(boolean alreadyClosed) implements AbortableResult {
        @Override
        public @Nullable IOException anyCleanupException() {
            return null;
        }
    }

    @Override
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ENGLISH)) {
            case StreamCapabilities.ABORTABLE_STREAM,
                    StreamCapabilities.IOSTATISTICS,
                    StreamCapabilities.IOSTATISTICS_CONTEXT -> true;
            default -> false; // neither hflush nor hsync
        };
    }

    @Override
    public IOStatistics getIOStatistics() {
        return counters.store();
    }

    @Override
    public String toString() {
        return "VolumeOutputStream{" + path + ", " + counters.store() + "}";
    }
}
