package io.cloudmw.client.write;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.security.SecretFiles;
import io.cloudmw.core.store.LockFile;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.SegmentCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A local file that records the stored chunks of a put, so that the next put of the same source need not send them
 * again. Records are only appended, each with its CRC32C; an incomplete last record is dropped. The journal is
 * forced to the disk about once a second, so a crash of the machine costs one second of records.
 *
 * A lock on its file keeps it to one put at a time. Failures to read or write it fail no put; that put is just not
 * resumed. Confined to one thread at a time; calls block.
 */
public final class PutJournal implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PutJournal.class);

    private static final String SUFFIX = ".put";
    /** Other files in the directory are never treated as journals. */
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}" + Pattern.quote(SUFFIX));

    private static final String FORMAT = "cloudmw put 2";
    private static final int MAX_RECORD_BYTES = 1 << 20;
    private static final long FORCE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Duration KEPT = Duration.ofDays(7);
    private static final int MAX_SWEPT = 1000;

    /** Kinds of records. */
    private static final byte BEGUN = 1;

    private static final byte CHUNK = 2;
    private static final byte SEGMENT = 3;

    private interface Content {
        void write(DataOutputStream out) throws IOException;
    }

    private final Path path;
    private final LockFile lock;
    private final FileChannel file;
    private final String source;
    private final Ticker ticker;
    private @Nullable StoredUpload found;
    private boolean ofAnotherSource;
    private boolean broken;
    private long forcedNanos;

    private PutJournal(Path path, LockFile lock, FileChannel file, String source, Ticker ticker) {
        this.path = path;
        this.lock = lock;
        this.file = file;
        this.source = source;
        this.ticker = ticker;
        forcedNanos = ticker.nanos();
    }

    /**
     * The name of the journal for puts of this source to this target.
     *
     * @param coordinators in any order
     */
    public static String name(HostPorts coordinators, Path source, FilePath target) {
        String all = coordinators.inAnyOrder() + "\n" + target + "\n"
                + source.toAbsolutePath().normalize();
        return HexFormat.of().formatHex(Sha256.begin().digest(all.getBytes(StandardCharsets.UTF_8))) + SUFFIX;
    }

    /**
     * Opens or creates a journal and reads it.
     *
     * @param source the {@link PutSource#identity} of the source
     * @return empty when another put has it, or it cannot be used
     */
    public static Optional<PutJournal> open(Path path, String source, Ticker ticker) {
        try {
            Path directory = path.toAbsolutePath().getParent();
            if (directory != null) {
                SecretFiles.makeDirectory(directory);
                sweep(directory);
            }
            Optional<LockFile> lock = LockFile.tryLock(path);
            return lock.isEmpty() ? Optional.empty() : Optional.of(opened(path, lock.get(), source, ticker));
        } catch (IOException e) {
            log.debug("journal {} cannot be used: this put will not be resumed", path, e);
            return Optional.empty();
        }
    }

    private static PutJournal opened(Path path, LockFile lock, String source, Ticker ticker) throws IOException {
        FileChannel file = null;
        boolean opened = false;
        try {
            file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            PutJournal journal = new PutJournal(path, lock, file, source, ticker);
            journal.read();
            opened = true;
            return journal;
        } finally {
            if (!opened) {
                if (file != null) {
                    file.close();
                }
                lock.close();
            }
        }
    }

    /** Deletes journals that no put has continued for long. */
    private static void sweep(Path directory) {
        FileTime oldest = FileTime.fromMillis(WallClock.system().millis() - KEPT.toMillis());
        int looked = 0;
        try (DirectoryStream<Path> journals = Files.newDirectoryStream(directory, PutJournal::isNamed)) {
            for (Path journal : journals) {
                if (looked++ >= MAX_SWEPT) {
                    return;
                }
                if (Files.getLastModifiedTime(journal).compareTo(oldest) < 0) {
                    Files.deleteIfExists(journal);
                }
            }
        } catch (IOException e) {
            log.debug("{} is not swept", directory, e);
        }
    }

    private static boolean isNamed(Path file) {
        return NAME.matcher(file.getFileName().toString()).matches();
    }

    /** The chunks that an earlier put of the same source had stored; empty: none. */
    public Optional<StoredUpload> found() {
        return Optional.ofNullable(found);
    }

    /** Returns whether the journal describes an earlier content of the source. */
    boolean isOfAnotherSource() {
        return ofAnotherSource;
    }

    // ---- reading

    private void read() throws IOException {
        long end = 0;
        Reading reading = null;
        file.position(0);
        while (true) {
            byte[] record = record(end);
            if (record == null) {
                break;
            }
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(record))) {
                if (reading == null) {
                    reading = begun(in);
                } else {
                    reading.add(in);
                }
            } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
                log.debug("journal {} is damaged at byte {}", path, end, e);
                break;
            }
            end += Integer.BYTES * 2L + record.length;
        }
        found = reading == null ? null : reading.upload();
        file.truncate(end);
        file.position(end);
    }

    /** The record at this offset; null: there is no whole one. */
    private byte @Nullable [] record(long at) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(Integer.BYTES * 2);
        if (!filled(head, at)) {
            return null;
        }
        int length = head.getInt();
        int crc = head.getInt();
        if (length < 1 || length > MAX_RECORD_BYTES) {
            return null;
        }
        ByteBuffer body = ByteBuffer.allocate(length);
        return filled(body, at + head.capacity()) && crc32c(body.array()) == crc ? body.array() : null;
    }

    private boolean filled(ByteBuffer buffer, long at) throws IOException {
        while (buffer.hasRemaining()) {
            if (file.read(buffer, at + buffer.position()) < 0) {
                return false;
            }
        }
        buffer.flip();
        return true;
    }

    private static int crc32c(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private Reading begun(DataInputStream in) throws IOException {
        if (in.readByte() != BEGUN || !in.readUTF().equals(FORMAT)) {
            throw new IOException("not a journal of this release");
        }
        if (!in.readUTF().equals(source)) {
            ofAnotherSource = true;
            throw new IOException("the source has changed");
        }
        VersionId version = new VersionId(in.readUTF());
        long volumeCreatedAtMillis = in.readLong();
        return new Reading(
                version,
                volumeCreatedAtMillis,
                new ManifestPlan(new ChunkCutter(in.readLong(), in.readLong()), in.readInt()));
    }

    /** The sum of the records. */
    private static final class Reading {
        private final VersionId version;
        private final long volumeCreatedAtMillis;
        private final ManifestPlan plan;
        private final TreeMap<Integer, byte[]> early = new TreeMap<>();
        private final List<byte[]> segments = new ArrayList<>();
        private final TreeMap<Long, Chunk> chunks = new TreeMap<>();
        private final List<ReplicaReport> owed = new ArrayList<>();
        private long replicas;
        private long bytes;

        Reading(VersionId version, long volumeCreatedAtMillis, ManifestPlan plan) {
            this.version = version;
            this.volumeCreatedAtMillis = volumeCreatedAtMillis;
            this.plan = plan;
        }

        void add(DataInputStream in) throws IOException {
            byte kind = in.readByte();
            if (kind == CHUNK) {
                chunk(in);
            } else if (kind == SEGMENT) {
                segment(in);
            } else {
                throw new IOException("record of kind " + kind);
            }
        }

        private void chunk(DataInputStream in) throws IOException {
            List<StoreId> late = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                late.add(new StoreId(in.readUTF()));
            }
            Chunk chunk = SegmentCodec.decode(in.readAllBytes()).get(0);
            if (!chunk.id().version().equals(version)
                    || !chunk.range().equals(plan.cutter().range(chunk.index()))) {
                throw new IOException("chunk " + chunk.id() + " is not of this upload");
            }
            chunks.put(chunk.index(), chunk);
            late.forEach(store -> owed.add(new ReplicaReport(chunk.id(), store, ReplicaState.OWED)));
            replicas += chunk.replicas().size() - late.size();
            bytes += chunk.range().length();
        }

        /** Forgets a segment's chunks once all earlier segments are written. */
        private void segment(DataInputStream in) throws IOException {
            early.put(in.readInt(), in.readAllBytes());
            while (early.containsKey(segments.size())) {
                segments.add(early.remove(segments.size()));
                chunks.headMap((long) segments.size() * plan.chunksPerSegment()).clear();
            }
        }

        StoredUpload upload() {
            return new StoredUpload(
                    version,
                    volumeCreatedAtMillis,
                    plan,
                    List.copyOf(segments),
                    chunks,
                    List.copyOf(owed),
                    replicas,
                    bytes);
        }
    }

    // ---- writing

    /**
     * Begins a new upload; the journal's earlier content is dropped.
     *
     * @param volumeCreatedAtMillis tells the volume from an earlier one of its name
     */
    public void begin(VersionId version, long volumeCreatedAtMillis, ManifestPlan plan) {
        found = null;
        try {
            file.truncate(0);
            file.position(0);
        } catch (IOException e) {
            broken(e);
        }
        add(BEGUN, out -> {
            out.writeUTF(FORMAT);
            out.writeUTF(source);
            out.writeUTF(version.value());
            out.writeLong(volumeCreatedAtMillis);
            out.writeLong(plan.cutter().fileSizeBytes());
            out.writeLong(plan.cutter().chunkSizeBytes());
            out.writeInt(plan.leafSizeBytes());
        });
    }

    /** Records a stored chunk. */
    void stored(Chunk chunk, List<StoreId> owed) {
        add(CHUNK, out -> {
            out.writeInt(owed.size());
            for (StoreId store : owed) {
                out.writeUTF(store.value());
            }
            out.write(SegmentCodec.encode(List.of(chunk)));
        });
    }

    /** Records a segment that the coordinator has. */
    public void written(int segment, byte[] sha256) {
        add(SEGMENT, out -> {
            out.writeInt(segment);
            out.write(sha256);
        });
    }

    private void add(byte kind, Content content) {
        if (broken) {
            return;
        }
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                out.writeByte(kind);
                content.write(out);
            }
            byte[] body = bytes.toByteArray();
            ByteBuffer record = ByteBuffer.allocate(Integer.BYTES * 2 + body.length);
            record.putInt(body.length).putInt(crc32c(body)).put(body).flip();
            while (record.hasRemaining()) {
                file.write(record);
            }
            long now = ticker.nanos();
            if (now - forcedNanos >= FORCE_NANOS) {
                file.force(false);
                forcedNanos = now;
            }
        } catch (IOException e) {
            broken(e);
        }
    }

    private void broken(IOException e) {
        broken = true;
        log.debug("journal {} cannot be written: this put will not be resumed", path, e);
    }

    /** Deletes the journal: the put has succeeded, or the coordinator refuses to continue its upload. */
    public void finish() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.debug("journal {} could not be deleted", path, e);
        }
        close();
    }

    /** Closes the journal; its content stays. Idempotent. */
    @Override
    public void close() {
        try {
            file.close();
            lock.close();
        } catch (IOException e) {
            log.debug("journal {} could not be closed", path, e);
        }
    }
}
