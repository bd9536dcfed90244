package io.cloudmw.hadoop.stream;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.statistics.IOStatisticsAggregator;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of one stream. They are added to those of the file system, and to the context of the thread that opened
 * the stream, once: when the stream is closed. Safe for any thread.
 */
public final class StreamCounters {
    private static final String[] READ = {
        StreamStatisticNames.STREAM_READ_BYTES,
        StreamStatisticNames.STREAM_READ_OPERATIONS,
        StreamStatisticNames.STREAM_READ_OPENED,
        StreamStatisticNames.STREAM_READ_EXCEPTIONS,
        StreamStatisticNames.STREAM_READ_SEEK_OPERATIONS,
        StreamStatisticNames.STREAM_READ_UNBUFFERED,
        StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS,
        StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES,
        StreamStatisticNames.STREAM_READ_VECTORED_COMBINED_RANGES,
        StreamStatisticNames.STREAM_READ_VECTORED_READ_BYTES_DISCARDED
    };

    private static final String[] WRITE = {
        StreamStatisticNames.STREAM_WRITE_BYTES, StreamStatisticNames.STREAM_WRITE_EXCEPTIONS
    };

    private final IOStatisticsStore store;
    private final FileSystem.@Nullable Statistics fileSystem;
    private final IOStatisticsAggregator context =
            IOStatisticsContext.getCurrentIOStatisticsContext().getAggregator();
    private final IOStatisticsAggregator sum;
    private final AtomicBoolean added = new AtomicBoolean();

    private StreamCounters(String[] names, FileSystem.@Nullable Statistics fileSystem, IOStatisticsAggregator sum) {
        this.store = IOStatisticsBinding.iostatisticsStore().withCounters(names).build();
        this.fileSystem = fileSystem;
        this.sum = sum;
    }

    /** The names of all counters of streams. */
    public static String[] names() {
        String[] all = new String[READ.length + WRITE.length];
        System.arraycopy(READ, 0, all, 0, READ.length);
        System.arraycopy(WRITE, 0, all, READ.length, WRITE.length);
        return all;
    }

    /** The counters of a stream that reads. */
    public static StreamCounters reading(FileSystem.@Nullable Statistics fileSystem, IOStatisticsAggregator sum) {
        return new StreamCounters(READ, fileSystem, sum);
    }

    /** The counters of a stream that writes. */
    public static StreamCounters writing(FileSystem.@Nullable Statistics fileSystem, IOStatisticsAggregator sum) {
        return new StreamCounters(WRITE, fileSystem, sum);
    }

    IOStatisticsStore store() {
        return store;
    }

    void add(String name, long count) {
        long unused = store.incrementCounter(name, count);
    }

    void read(long bytes) {
        add(StreamStatisticNames.STREAM_READ_OPERATIONS, 1);
        readBytes(bytes);
    }

    void readBytes(long bytes) {
        if (bytes > 0) {
            add(StreamStatisticNames.STREAM_READ_BYTES, bytes);
            if (fileSystem != null) {
                fileSystem.incrementBytesRead(bytes);
            }
        }
    }

    void wrote(long bytes) {
        add(StreamStatisticNames.STREAM_WRITE_BYTES, bytes);
        if (fileSystem != null) {
            fileSystem.incrementBytesWritten(bytes);
        }
    }

    void closed() {
        if (!added.getAndSet(true)) {
            boolean unused = sum.aggregate(store);
            boolean unusedToo = context.aggregate(store);
        }
    }
}
