package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The items of manifest segments. Each digest has an item of its own, so that a commit reads digests alone. The bytes
 * are split over several items, since an item holds 400 KB.
 */
final class SegmentItems {
    /** The bytes of a segment in one item. */
    static final int PART_BYTES = 350 << 10;

    /** The most items of a segment. A transaction takes 4 MB, and the largest segment has 1.4 MB. */
    static final int MAX_PARTS = 10;

    private SegmentItems() {}

    static byte[] put(Transaction transaction, VersionId version, int index, byte[] encoded, long nowMillis)
            throws TransactionConflict, CloudMwException {
        ItemKey digest = KeyLayout.digest(version, index);
        transaction.load(List.of(digest, KeyLayout.state(version)));
        byte[] sha256 = ManifestDigest.ofSegment(encoded);
        Optional<Item> present = transaction.get(digest);
        if (present.isPresent() && Arrays.equals(present.get().bytes(Item.SHA256), sha256)) {
            return sha256;
        }
        Optional<Item> state = transaction.get(KeyLayout.state(version));
        if (state.isPresent() && VersionStage.of(state.get()) != VersionStage.OPEN) {
            throw CatalogErrors.versionNotOpen(version);
        }
        VersionItems.renew(transaction, version, nowMillis, present.isPresent() ? 0 : 1, false);
        int parts = write(transaction, version, index, encoded, sha256);
        long former = present.isPresent() ? present.get().number(Item.PARTS) : 0;
        for (int part = parts; part < former; part++) {
            transaction.delete(KeyLayout.part(version, index, part));
        }
        return sha256;
    }

    /**
     * Puts the only segment of a version that the same transaction makes current.
     *
     * @param open the version's item as it was read: empty, or of an open version
     */
    static void putOnly(Transaction transaction, FileVersion version, EncodedSegment segment, Optional<Item> open)
            throws CloudMwException {
        byte[] sha256 = segment.sha256();
        if (open.isEmpty() || open.get().number(Item.SEGMENTS) == 0) {
            int unused = write(transaction, version.id(), 0, segment.bytes(), sha256);
            return;
        }
        Optional<Item> present = transaction.get(KeyLayout.digest(version.id(), 0));
        boolean same = present.isPresent()
                && Arrays.equals(present.get().bytes(Item.SHA256), sha256)
                && open.get().number(Item.SEGMENTS) == 1;
        if (!same) {
            throw CatalogErrors.segmentsDiffer(version, "others, put before");
        }
    }

    private static int write(Transaction transaction, VersionId version, int index, byte[] encoded, byte[] sha256)
            throws CloudMwException {
        int parts = parts(encoded);
        transaction.put(Item.at(KeyLayout.digest(version, index))
                .with(Item.SHA256, sha256)
                .with(Item.PARTS, parts));
        for (int part = 0; part < parts; part++) {
            int from = part * PART_BYTES;
            byte[] body = Arrays.copyOfRange(encoded, from, Math.min(encoded.length, from + PART_BYTES));
            transaction.put(Item.at(KeyLayout.part(version, index, part))
                    .with(Item.SHA256, sha256)
                    .with(Item.PARTS, parts)
                    .with(Item.BODY, body));
        }
        return parts;
    }

    private static int parts(byte[] encoded) throws CloudMwException {
        int parts = Math.max(1, (encoded.length + PART_BYTES - 1) / PART_BYTES);
        if (parts > MAX_PARTS) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "manifest segment: " + encoded.length + " bytes (expected: <= " + MAX_PARTS * PART_BYTES + ")");
        }
        return parts;
    }

    /** Returns the first segments of some versions that were found. */
    static Map<VersionId, byte[]> first(Transaction transaction, List<VersionId> versions)
            throws TransactionConflict, CloudMwException {
        Map<VersionId, byte[]> found = new HashMap<>();
        for (int from = 0; from < versions.size(); from += Table.MAX_ITEMS) {
            List<VersionId> some = versions.subList(from, Math.min(versions.size(), from + Table.MAX_ITEMS));
            transaction.load(
                    some.stream().map(version -> KeyLayout.part(version, 0, 0)).toList());
            for (VersionId version : some) {
                Optional<Item> part = transaction.get(KeyLayout.part(version, 0, 0));
                if (part.isPresent() && part.get().number(Item.PARTS) == 1) {
                    found.put(version, part.get().bytes(Item.BODY));
                } else if (part.isPresent()) {
                    get(transaction, version, 0).ifPresent(segment -> found.put(version, segment));
                }
            }
        }
        return found;
    }

    /** Returns a segment, whose parts were written by the same transaction. */
    static Optional<byte[]> get(Transaction transaction, VersionId version, int index)
            throws TransactionConflict, CloudMwException {
        List<Item> parts = transaction
                .table()
                .queryAll(KeyRange.startingWith(KeyLayout.ofVersion(version), KeyLayout.parts(index)));
        if (parts.isEmpty()) {
            return Optional.empty();
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        byte[] sha256 = parts.get(0).bytes(Item.SHA256);
        boolean same = parts.get(0).number(Item.PARTS) == parts.size();
        for (Item part : parts) {
            same &= Arrays.equals(sha256, part.bytes(Item.SHA256));
            whole.writeBytes(part.bytes(Item.BODY));
        }
        if (!same) {
            throw new TransactionConflict("a segment was replaced while it was read");
        }
        return Optional.of(whole.toByteArray());
    }
}
