package io.cloudmw.core.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.cloudmw.core.backup.BackupPart;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.backup.ExportCursor;
import io.cloudmw.core.backup.ExportPage;
import io.cloudmw.core.backup.ExportPlace;
import io.cloudmw.core.backup.ExportRecord;
import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.proto.v1.ExportResponse;
import io.cloudmw.proto.v1.ExportedDirectory;
import io.cloudmw.proto.v1.ExportedFile;
import io.cloudmw.proto.v1.ExportedSegment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

/**
 * The encodings of exports and backups. Malformed bytes fail with {@code INVALID_ARGUMENT}: their reader has verified
 * them before, or refuses them.
 */
public final class BackupWire {
    /** The format of roots and of all that they name. */
    public static final int FORMAT = 1;

    /** The largest root with its frame: it is one chunk. */
    public static final int MAX_ROOT_BYTES = 8 << 20;

    /** The largest record: a manifest segment with many replicas. */
    static final int MAX_RECORD_BYTES = 4 << 20;

    private static final byte[] PACK_MAGIC = "CloudMWp".getBytes(StandardCharsets.US_ASCII);

    /** The frame at the end of a compacted pack's chunk. */
    public static final int PACK_FRAME_BYTES = 2 * Integer.BYTES + PACK_MAGIC.length;

    private static final byte[] MAGIC = "CloudMW backup\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DIGEST_BYTES = 32;
    private static final int FRAME_BYTES = MAGIC.length + Integer.BYTES + DIGEST_BYTES;

    private BackupWire() {}

    // ---- exports

    /** The records of a page as a backup keeps them: one after the other, each behind its length. */
    public static byte[] records(ExportPage page) {
        return encoded(page).toByteArray();
    }

    private static ByteString encoded(ExportPage page) {
        ByteString.Output records = ByteString.newOutput();
        for (ExportRecord entry : page.records()) {
            write(message(entry), records);
        }
        return records.toByteString();
    }

    public static ExportResponse page(ExportPage page) {
        return ExportResponse.newBuilder()
                .setRecords(encoded(page))
                .setFiles(page.files())
                .setCursor(page.next().map(BackupWire::bytes).orElse(ByteString.EMPTY))
                .setPosition(page.position())
                .setWhole(page.whole())
                .setCluster(page.cluster())
                .build();
    }

    private static void write(io.cloudmw.proto.v1.ExportRecord message, ByteString.Output to) {
        try {
            message.writeDelimitedTo(to);
        } catch (IOException e) {
            throw new IllegalStateException("memory takes what is written to it", e);
        }
    }

    private static ByteString bytes(ExportCursor cursor) {
        return ByteString.copyFrom(cursor(cursor));
    }

    public static byte[] cursor(ExportCursor cursor) {
        io.cloudmw.proto.v1.ExportCursor.Builder message = io.cloudmw.proto.v1.ExportCursor.newBuilder()
                .setPosition(cursor.position())
                .setRounds(cursor.rounds());
        cursor.places().forEach(place -> message.addPlaces(place(place)));
        return message.build().toByteArray();
    }

    private static io.cloudmw.proto.v1.ExportPlace place(ExportPlace place) {
        io.cloudmw.proto.v1.ExportPlace.Builder message =
                io.cloudmw.proto.v1.ExportPlace.newBuilder().setPath(place.path());
        if (place instanceof ExportPlace.Directory directory) {
            return message.setDirectory(true)
                    .setPageToken(directory.pageToken())
                    .build();
        }
        ExportPlace.File file = (ExportPlace.File) place;
        return message.setVersionId(file.version().map(VersionId::value).orElse(""))
                .setSegment(file.segment())
                .build();
    }

    /** Reads a cursor; empty bytes are none. */
    public static Optional<ExportCursor> cursor(byte[] bytes) throws CloudMwException {
        if (bytes.length == 0) {
            return Optional.empty();
        }
        io.cloudmw.proto.v1.ExportCursor message =
                parsed("cursor", () -> io.cloudmw.proto.v1.ExportCursor.parseFrom(bytes));
        List<ExportPlace> places = new ArrayList<>();
        for (io.cloudmw.proto.v1.ExportPlace place : message.getPlacesList()) {
            places.add(
                    place.getDirectory()
                            ? new ExportPlace.Directory(place.getPath(), place.getPageToken())
                            : new ExportPlace.File(
                                    place.getPath(),
                                    FromWire.optionalVersionId(place.getVersionId()),
                                    place.getSegment()));
        }
        return Optional.of(FromWire.valid(() -> new ExportCursor(message.getPosition(), places, message.getRounds())));
    }

    private static io.cloudmw.proto.v1.ExportRecord message(ExportRecord entry) {
        io.cloudmw.proto.v1.ExportRecord.Builder message = io.cloudmw.proto.v1.ExportRecord.newBuilder();
        if (entry instanceof ExportRecord.Segment segment) {
            message.setSegment(ExportedSegment.newBuilder()
                    .setVersionId(segment.version().value())
                    .setIndex(segment.index())
                    .setEncoded(ByteString.copyFrom(segment.encoded())));
        } else if (entry instanceof ExportRecord.Relocated relocated) {
            message.setRelocation(message(relocated.place()));
        } else if (entry instanceof ExportRecord.Present present) {
            message.setFile(file(present));
        } else if (entry instanceof ExportRecord.Directory directory) {
            message.setDirectory(ExportedDirectory.newBuilder()
                    .setPath(directory.path())
                    .setCreatedAtMillis(directory.createdAtMillis())
                    .setAttributes(ToWire.attributes(directory.attributes())));
        } else if (entry instanceof ExportRecord.Absent absent) {
            message.setAbsent(absent.path());
        } else {
            message.setAbsentTree(((ExportRecord.AbsentTree) entry).path());
        }
        return message.build();
    }

    /** Converts the place of a compacted pack. */
    public static byte[] relocation(PackRelocation relocation) {
        return message(relocation).toByteArray();
    }

    static io.cloudmw.proto.v1.PackRelocation message(PackRelocation relocation) {
        io.cloudmw.proto.v1.PackRelocation.Builder message = io.cloudmw.proto.v1.PackRelocation.newBuilder()
                .setOriginalId(relocation.original().value())
                .setPackId(relocation.pack().value())
                .addAllStoreIds(relocation.stores().stream().map(StoreId::value).toList());
        relocation
                .kept()
                .forEach(range -> message.addKeptOffsets(range.offset()).addKeptLengths(range.length()));
        return message.build();
    }

    /** Reads what {@link #relocation(PackRelocation)} wrote. */
    public static PackRelocation relocation(byte[] bytes) throws CloudMwException {
        return relocation(parsed("relocation", () -> io.cloudmw.proto.v1.PackRelocation.parseFrom(bytes)));
    }

    static PackRelocation relocation(io.cloudmw.proto.v1.PackRelocation message) throws CloudMwException {
        List<ByteRange> kept = ranges(message.getKeptOffsetsList(), message.getKeptLengthsList());
        return FromWire.valid(() -> new PackRelocation(
                new VersionId(message.getOriginalId()),
                new VersionId(message.getPackId()),
                message.getStoreIdsList().stream().map(StoreId::new).toList(),
                kept));
    }

    static List<ByteRange> ranges(List<Long> offsets, List<Long> lengths) throws CloudMwException {
        if (offsets.size() != lengths.size()) {
            throw FromWire.invalid(
                    "ranges: " + offsets.size() + " offsets, " + lengths.size() + " lengths (expected: as many)");
        }
        return FromWire.valid(() -> {
            List<ByteRange> ranges = new ArrayList<>();
            for (int i = 0; i < offsets.size(); i++) {
                ranges.add(new ByteRange(offsets.get(i), lengths.get(i)));
            }
            return ranges;
        });
    }

    /**
     * The end of a compacted pack's chunk, behind its bytes: their place and a frame, by which a recovery finds the bytes
     * of files in stores whose backup is older than the pack.
     */
    public static byte[] packEnd(PackRelocation relocation) {
        byte[] message = relocation(relocation);
        return ByteBuffer.allocate(message.length + PACK_FRAME_BYTES)
                .put(message)
                .putInt(message.length)
                .putInt(crc32c(message))
                .put(PACK_MAGIC)
                .array();
    }

    /**
     * Reads the frame at the end of a chunk.
     *
     * @param frame the last {@link #PACK_FRAME_BYTES} bytes
     * @return the length of the message before it; empty when the chunk is not a compacted pack
     */
    public static OptionalInt packEndBytes(ByteBuffer frame) {
        byte[] magic = new byte[PACK_MAGIC.length];
        frame.get(frame.position() + 2 * Integer.BYTES, magic);
        int length = frame.getInt(frame.position());
        return Arrays.equals(magic, PACK_MAGIC) && length > 0 && length <= MAX_RECORD_BYTES
                ? OptionalInt.of(length)
                : OptionalInt.empty();
    }

    /**
     * Reads what {@link #packEnd(PackRelocation)} wrote.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is damaged
     */
    public static PackRelocation packEnd(byte[] end) throws CloudMwException {
        int length = end.length - PACK_FRAME_BYTES;
        byte[] message = Arrays.copyOf(end, Math.max(0, length));
        if (length < 0
                || ByteBuffer.wrap(end, length + Integer.BYTES, Integer.BYTES).getInt() != crc32c(message)) {
            throw FromWire.invalid("end of a compacted pack: damaged");
        }
        return relocation(message);
    }

    private static int crc32c(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static ExportedFile file(ExportRecord.Present present) {
        return ExportedFile.newBuilder()
                .setVersion(ToWire.version(present.version()))
                .setCreatedAtMillis(present.createdAtMillis())
                .setAttributes(ToWire.attributes(present.attributes()))
                .build();
    }

    /** Converts a record. */
    public static byte[] record(ExportRecord entry) {
        return message(entry).toByteArray();
    }

    /** Reads what {@link #record(ExportRecord)} wrote. */
    public static ExportRecord record(byte[] bytes) throws CloudMwException {
        return entry(parsed("record", () -> io.cloudmw.proto.v1.ExportRecord.parseFrom(bytes)));
    }

    private static ExportRecord.Present present(ExportedFile file) throws CloudMwException {
        return new ExportRecord.Present(
                FromWire.version(file.getVersion()),
                file.getCreatedAtMillis(),
                FromWire.attributes(file.getAttributes()));
    }

    /**
     * The next record of a part.
     *
     * @return empty at the end
     * @throws IOException what the stream fails with; {@link CloudMwException} {@code INVALID_ARGUMENT} when it is no
     *     record
     */
    public static Optional<ExportRecord> next(InputStream records) throws IOException {
        int first = records.read();
        if (first < 0) {
            return Optional.empty();
        }
        int length = parsed("record", () -> CodedInputStream.readRawVarint32(first, records));
        if (length < 0 || length > MAX_RECORD_BYTES) {
            throw FromWire.invalid("record: " + length + " bytes (expected: 0.." + MAX_RECORD_BYTES + ")");
        }
        byte[] bytes = records.readNBytes(length);
        if (bytes.length < length) {
            throw FromWire.invalid("record: ends after " + bytes.length + " bytes (expected: " + length + ")");
        }
        return Optional.of(record(bytes));
    }

    private static ExportRecord entry(io.cloudmw.proto.v1.ExportRecord message) throws CloudMwException {
        return switch (message.getKindCase()) {
            case SEGMENT ->
                new ExportRecord.Segment(
                        FromWire.versionId(message.getSegment().getVersionId()),
                        message.getSegment().getIndex(),
                        message.getSegment().getEncoded().toByteArray());
            case RELOCATION -> new ExportRecord.Relocated(relocation(message.getRelocation()));
            case FILE -> present(message.getFile());
            case ABSENT -> new ExportRecord.Absent(message.getAbsent());
            case ABSENT_TREE -> new ExportRecord.AbsentTree(message.getAbsentTree());
            case DIRECTORY ->
                new ExportRecord.Directory(
                        message.getDirectory().getPath(),
                        message.getDirectory().getCreatedAtMillis(),
                        FromWire.attributes(message.getDirectory().getAttributes()));
            case KIND_NOT_SET -> throw FromWire.invalid("record: of no known kind");
        };
    }

    // ---- backups

    /**
     * A root or a draft in its frame: its kind, its length, itself, and the SHA-256 of all that.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is larger than {@value #MAX_ROOT_BYTES} bytes
     */
    public static byte[] root(BackupRoot root) throws CloudMwException {
        byte[] message = message(root).toByteArray();
        if (message.length > MAX_ROOT_BYTES - FRAME_BYTES) {
            throw FromWire.invalid("backup root: " + message.length + " bytes (expected: <= "
                    + (MAX_ROOT_BYTES - FRAME_BYTES) + "): the backup has too many parts");
        }
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES + message.length);
        frame.put(MAGIC).putInt(message.length).put(message);
        frame.put(digest(frame.array(), frame.position()));
        return frame.array();
    }

    private static byte[] digest(byte[] bytes, int length) {
        MessageDigest sha256 = Sha256.begin();
        sha256.update(bytes, 0, length);
        return sha256.digest();
    }

    private static io.cloudmw.proto.v1.BackupRoot message(BackupRoot root) {
        io.cloudmw.proto.v1.BackupRoot.Builder message = io.cloudmw.proto.v1.BackupRoot.newBuilder()
                .setFormat(FORMAT)
                .setCluster(root.cluster())
                .setVolume(ToWire.volume(root.volume()))
                .setNumber(root.number())
                .setTakenAtMillis(root.takenAtMillis())
                .setPosition(root.position())
                .setCursor(root.cursor().map(BackupWire::bytes).orElse(ByteString.EMPTY));
        root.stores().forEach(store -> message.addStores(ToWire.store(store)));
        for (BackupPart part : root.parts()) {
            message.addPartsBuilder()
                    .setFile(ToWire.version(part.file()))
                    .addAllChunks(part.chunks().stream().map(ToWire::chunk).toList())
                    .setFiles(part.files());
        }
        return message.build();
    }

    /**
     * Reads what {@link #root(BackupRoot)} wrote.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is no root, was changed or cut; {@code
     *     VERSION_UNSUPPORTED} when a later release wrote it in another form
     */
    public static BackupRoot root(byte[] frame) throws CloudMwException {
        int end = frame.length - DIGEST_BYTES;
        if (frame.length < FRAME_BYTES
                || !Arrays.equals(frame, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                || ByteBuffer.wrap(frame).getInt(MAGIC.length) != frame.length - FRAME_BYTES) {
            throw FromWire.invalid("backup root: " + frame.length + " bytes that are none, or a part of one");
        }
        if (!Arrays.equals(digest(frame, end), Arrays.copyOfRange(frame, end, frame.length))) {
            throw FromWire.invalid("backup root: its SHA-256 is wrong");
        }
        ByteString message = ByteString.copyFrom(frame, MAGIC.length + Integer.BYTES, frame.length - FRAME_BYTES);
        return root(parsed("backup root", () -> io.cloudmw.proto.v1.BackupRoot.parseFrom(message)));
    }

    private static BackupRoot root(io.cloudmw.proto.v1.BackupRoot message) throws CloudMwException {
        if (message.getFormat() != FORMAT) {
            throw new CloudMwException(
                    ErrorCode.VERSION_UNSUPPORTED,
                    "backup root: format " + message.getFormat() + " (expected: " + FORMAT + ")");
        }
        List<Store> stores = new ArrayList<>();
        for (io.cloudmw.proto.v1.Store store : message.getStoresList()) {
            stores.add(FromWire.store(store));
        }
        List<BackupPart> parts = new ArrayList<>();
        for (io.cloudmw.proto.v1.BackupPart part : message.getPartsList()) {
            parts.add(part(part));
        }
        Optional<ExportCursor> cursor = cursor(message.getCursor().toByteArray());
        io.cloudmw.core.model.volume.Volume volume = FromWire.volume(message.getVolume());
        return FromWire.valid(() -> new BackupRoot(
                message.getCluster(),
                volume,
                stores,
                message.getNumber(),
                message.getTakenAtMillis(),
                message.getPosition(),
                parts,
                cursor));
    }

    private static BackupPart part(io.cloudmw.proto.v1.BackupPart message) throws CloudMwException {
        List<Chunk> chunks = new ArrayList<>();
        for (io.cloudmw.proto.v1.Chunk chunk : message.getChunksList()) {
            chunks.add(FromWire.chunk(chunk));
        }
        io.cloudmw.core.model.file.FileVersion file = FromWire.version(message.getFile());
        return FromWire.valid(() -> new BackupPart(file, chunks, message.getFiles()));
    }

    private interface Parsing<T> {
        T run() throws IOException;
    }

    private static <T> T parsed(String what, Parsing<T> parsing) throws CloudMwException {
        try {
            return parsing.run();
        } catch (CloudMwException e) {
            throw e;
        } catch (InvalidProtocolBufferException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, what + ": malformed", e);
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, what + ": " + e.getMessage(), e);
        }
    }
}
