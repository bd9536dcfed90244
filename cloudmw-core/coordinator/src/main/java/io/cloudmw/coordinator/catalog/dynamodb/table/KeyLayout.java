package io.cloudmw.coordinator.catalog.dynamodb.table;

import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ReplicaReport;
import java.util.List;
import java.util.Locale;

/**
 * The layout of the table's keys. Each list of versions is kept in sixteen partitions, by the first digit of the id:
 * reading them one after the other gives the order of ids, and writes are spread.
 */
public final class KeyLayout {
    public static final String VOLUMES = "volumes";
    public static final String STORES = "stores";
    public static final String LEASES = "leases";
    public static final String POSITIONS = "positions";
    public static final String NOTES = "notes";
    public static final String SUBJECTS = "subjects";
    private static final String LOCK_COUNTS = "lock-counts";

    /** The partition of helper ids. */
    private static final String HELPERS = "helpers";

    /** The partition of fleet reports. */
    public static final String REPORTS = "reports";

    /** The partition of directories whose volume was deleted, until they are empty. */
    public static final String DROPPED = "dropped";

    static final ItemKey SCHEMA = new ItemKey("meta", "schema");

    /** The item that every change of a volume's stores writes, so that at most one of them takes effect at a time. */
    public static final ItemKey CONFIGURATION = new ItemKey("meta", "configuration");

    /** The item with the catalog's id. */
    public static final ItemKey CLUSTER = new ItemKey("meta", "cluster");

    /** The item with the number of subjects, and of changes to them. */
    public static final ItemKey SUBJECT_REVISION = new ItemKey("meta", "subjects");

    /** The item with the last directory number that was reserved. */
    public static final ItemKey NUMBERS = new ItemKey("meta", "directories");

    /** The first digits of version ids, in order. */
    public static final List<String> DIGITS =
            List.of("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f");

    public static final String DIGESTS = "h/";
    public static final String PARTS = "s/";
    public static final String REPLICAS = "r/";

    /** The bound above every replica's sort key. */
    public static final String REPLICAS_END = "r0";

    /** The prefix of references from a version's segments to other versions. */
    public static final String NAMES = "n/";

    /** The prefix of references to chunks of a version. */
    public static final String NAMED = "u/";

    public static final String DIRECTORIES = "d/";
    private static final String BREAK = "\u0001";
    private static final String AFTER_BREAK = "\u0002";

    private KeyLayout() {}

    public static ItemKey volume(VolumeName name) {
        return new ItemKey(VOLUMES, name.value());
    }

    public static ItemKey store(StoreId id) {
        return new ItemKey(STORES, id.value());
    }

    public static ItemKey helper(HelperId id) {
        return new ItemKey(HELPERS, id.value());
    }

    public static ItemKey report(String coordinator, int part) {
        return new ItemKey(REPORTS, reportsOf(coordinator) + part);
    }

    /** Returns the prefix of all parts of a coordinator's report. */
    public static String reportsOf(String coordinator) {
        return coordinator + "/";
    }

    public static ItemKey lease(String job) {
        return new ItemKey(LEASES, job);
    }

    /** The partition of the locks of a volume. */
    public static String locks(VolumeName volume) {
        return "locks/" + volume;
    }

    public static ItemKey lock(FilePath file) {
        return new ItemKey(locks(file.volume()), file.path());
    }

    /** Returns the key of a volume's last fence, which outlives the volume. */
    public static ItemKey lockCount(VolumeName volume) {
        return new ItemKey(LOCK_COUNTS, volume.value());
    }

    public static ItemKey subject(String name) {
        return new ItemKey(SUBJECTS, name);
    }

    public static ItemKey note(String key) {
        return new ItemKey(NOTES, key);
    }

    /** Returns the key of a volume's last position, which outlives the volume. */
    public static ItemKey position(VolumeName volume) {
        return new ItemKey(POSITIONS, volume.value());
    }

    public static String changes(VolumeName volume) {
        return "c/" + volume;
    }

    public static ItemKey change(VolumeName volume, long position) {
        return new ItemKey(changes(volume), String.format(Locale.ROOT, "%019d", position));
    }

    public static String appliedCalls(String digit) {
        return "calls/" + digit;
    }

    /** Returns the sort key from which calls were issued at that time or later, in each partition. */
    public static String issuedAt(long millis) {
        return String.format(Locale.ROOT, "%019d", millis);
    }

    public static ItemKey appliedCall(CallId call) {
        String id = call.id().toString();
        return new ItemKey(appliedCalls(id.substring(0, 1)), issuedAt(call.issuedAtMillis()) + "/" + id);
    }

    public static String directory(long number) {
        return DIRECTORIES + number;
    }

    /** Returns the number of the directory that contains an entry. */
    public static long directory(ItemKey entry) {
        return Long.parseLong(entry.partition().substring(DIRECTORIES.length()));
    }

    public static String snapshots(long root) {
        return "snapshots/" + root;
    }

    public static ItemKey snapshot(long root, String name) {
        return new ItemKey(snapshots(root), name);
    }

    public static String past(String digit) {
        return "past/" + digit;
    }

    /** Returns the partition of a directory's past entries. */
    public static String pastOf(long directory) {
        return past(DIGITS.get((int) (directory % DIGITS.size())));
    }

    /** Returns the key of an entry's form until a snapshot's number; names have no control characters. */
    public static ItemKey past(long directory, String name, long until) {
        return new ItemKey(
                pastOf(directory), pastStart(directory) + name + BREAK + String.format(Locale.ROOT, "%019d", until));
    }

    private static String pastStart(long directory) {
        return String.format(Locale.ROOT, "%019d", directory) + BREAK;
    }

    /** Returns the bound below all names after this one, which may be empty. */
    public static String pastAfter(long directory, String name) {
        return pastStart(directory) + name + (name.isEmpty() ? "" : AFTER_BREAK);
    }

    public static String pastEnd(long directory) {
        return String.format(Locale.ROOT, "%019d", directory) + AFTER_BREAK;
    }

    public static String pastName(ItemKey past) {
        return past.sort().split(BREAK, -1)[1];
    }

    public static long until(ItemKey past) {
        return Long.parseLong(past.sort().split(BREAK, -1)[2]);
    }

    public static ItemKey entry(long directory, String name) {
        return new ItemKey(directory(directory), name);
    }

    public static ItemKey dropped(long directory) {
        return new ItemKey(DROPPED, String.format(Locale.ROOT, "%019d", directory));
    }

    /** Returns the partition of a version's items. */
    public static String ofVersion(VersionId id) {
        return "v/" + id;
    }

    public static ItemKey state(VersionId id) {
        return new ItemKey(ofVersion(id), "state");
    }

    public static ItemKey digest(VersionId id, int segment) {
        return new ItemKey(ofVersion(id), String.format(Locale.ROOT, "%s%010d", DIGESTS, segment));
    }

    public static String parts(int segment) {
        return String.format(Locale.ROOT, "%s%010d/", PARTS, segment);
    }

    public static ItemKey part(VersionId id, int segment, int part) {
        return new ItemKey(ofVersion(id), parts(segment) + part);
    }

    public static ItemKey replica(ReplicaReport replica) {
        return new ItemKey(
                ofVersion(replica.chunk().version()), replicasOf(replica.chunk().index()) + replica.store());
    }

    /** Returns the sort key at which the replicas of a chunk begin; those of later chunks follow. */
    public static String replicasOf(long chunk) {
        return String.format(Locale.ROOT, "%s%010d/", REPLICAS, chunk);
    }

    /** Returns the key of the references of a segment with this digest. */
    public static ItemKey names(VersionId id, int segment, String digest) {
        return new ItemKey(ofVersion(id), namesOf(segment) + digest);
    }

    /** Returns whether an item of a version records shared chunks. */
    public static boolean isOfSharing(ItemKey ofVersion) {
        return ofVersion.sort().startsWith(NAMES) || ofVersion.sort().startsWith(NAMED);
    }

    /** Returns the prefix of a segment's references, with any digest. */
    public static String namesOf(int segment) {
        return String.format(Locale.ROOT, "%s%010d/", NAMES, segment);
    }

    /** Returns the key of the same reference with the version that wrote the chunks, from {@code first} on. */
    public static ItemKey named(VersionId owner, long first, VersionId by, int segment, String digest) {
        return new ItemKey(
                ofVersion(owner), String.format(Locale.ROOT, "%s/%s/%010d/%s", namedFrom(first), by, segment, digest));
    }

    public static String namedFrom(long first) {
        return String.format(Locale.ROOT, "%s%010d", NAMED, first);
    }

    /** Returns the version that references the chunks. */
    public static VersionId namer(ItemKey named) {
        return new VersionId(part(named, 2));
    }

    /** Returns the key of the present digest of the referencing segment. */
    public static ItemKey digestOf(ItemKey named) {
        return digest(namer(named), namerSegment(named));
    }

    /** Returns the segment that references the chunks, in the manifest of {@link #namer}. */
    public static int namerSegment(ItemKey named) {
        return Integer.parseInt(part(named, 3));
    }

    /** Returns the segment of an item in its version's partition. */
    public static int segment(ItemKey ofSegment) {
        return Integer.parseInt(part(ofSegment, 1));
    }

    /** Returns the digest in {@link #names}. */
    public static String digest(ItemKey names) {
        return part(names, 2);
    }

    private static String part(ItemKey key, int index) {
        return key.sort().split("/", -1)[index];
    }

    public static ItemKey open(VersionId id) {
        return new ItemKey(open(digit(id)), id.value());
    }

    public static String open(String digit) {
        return "open/" + digit;
    }

    public static ItemKey retired(VersionId id) {
        return new ItemKey(retired(digit(id)), id.value());
    }

    public static String retired(String digit) {
        return "retired/" + digit;
    }

    /** Returns the key of a version in the list of those whose replicas may need work. */
    public static ItemKey pending(VersionId id) {
        return new ItemKey(pending(digit(id)), id.value());
    }

    public static String pending(String digit) {
        return "pending/" + digit;
    }

    /** Returns the key of a version in the list of current versions. */
    public static ItemKey live(VersionId id) {
        return new ItemKey(live(digit(id)), id.value());
    }

    public static String live(String digit) {
        return "live/" + digit;
    }

    /** Returns the key of a version in the list of packs. */
    public static ItemKey pack(VersionId id) {
        return new ItemKey(packs(digit(id)), id.value());
    }

    public static String packs(String digit) {
        return "packs/" + digit;
    }

    /** Returns the key of the present place of a compacted pack, with the versions that name its slices. */
    public static ItemKey relocation(VersionId original) {
        return new ItemKey(ofVersion(original), "relocation");
    }

    private static String digit(VersionId id) {
        return id.value().substring(0, 1);
    }
}
