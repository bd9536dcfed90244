package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ReplicaReport;
import java.util.List;
import java.util.Locale;

/**
 * Where everything is in the table. Lists of versions are kept in sixteen partitions each, by the first digit of the id:
 * in order of the ids when read one after the other, and written in parallel.
 */
final class Keys {
    static final String VOLUMES = "volumes";
    static final String STORES = "stores";
    static final String LEASES = "leases";
    static final String POSITIONS = "positions";
    static final String NOTES = "notes";

    /** Who has which helper's id. */
    private static final String HELPERS = "helpers";

    /** Whom coordinators hear. */
    static final String REPORTS = "reports";

    /** Directories whose volume was deleted, until nothing is left in them. */
    static final String DROPPED = "dropped";

    static final Key SCHEMA = new Key("meta", "schema");

    /** Written by whoever changes which stores volumes use: at most one of those takes effect at a time. */
    static final Key CONFIGURATION = new Key("meta", "configuration");

    /** What names this catalog. */
    static final Key CLUSTER = new Key("meta", "cluster");

    /** The last directory number that was given out. */
    static final Key NUMBERS = new Key("meta", "directories");

    /** The first digits of version ids, in order. */
    static final List<String> DIGITS =
            List.of("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f");

    static final String DIGESTS = "h/";
    static final String PARTS = "s/";
    static final String REPLICAS = "r/";

    /** Above every replica's place. */
    static final String REPLICAS_END = "r0";

    /** What a version's segments name of other versions. */
    static final String NAMES = "n/";

    /** Who names chunks of a version. */
    static final String NAMED = "u/";

    static final String DIRECTORIES = "d/";
    private static final String BREAK = "\u0001";
    private static final String AFTER_BREAK = "\u0002";

    private Keys() {}

    static Key volume(VolumeName name) {
        return new Key(VOLUMES, name.value());
    }

    static Key store(StoreId id) {
        return new Key(STORES, id.value());
    }

    static Key helper(HelperId id) {
        return new Key(HELPERS, id.value());
    }

    static Key report(String coordinator, int part) {
        return new Key(REPORTS, reportsOf(coordinator) + part);
    }

    /** What the places of all parts begin with. */
    static String reportsOf(String coordinator) {
        return coordinator + "/";
    }

    static Key lease(String job) {
        return new Key(LEASES, job);
    }

    static Key note(String key) {
        return new Key(NOTES, key);
    }

    /** The position of a volume's last change; it outlives the volume. */
    static Key position(VolumeName volume) {
        return new Key(POSITIONS, volume.value());
    }

    static String changes(VolumeName volume) {
        return "c/" + volume;
    }

    static Key change(VolumeName volume, long position) {
        return new Key(changes(volume), String.format(Locale.ROOT, "%019d", position));
    }

    static String appliedCalls(String digit) {
        return "calls/" + digit;
    }

    /** Where those are, in each partition, that were issued then or later. */
    static String issuedAt(long millis) {
        return String.format(Locale.ROOT, "%019d", millis);
    }

    static Key appliedCall(CallId call) {
        String id = call.id().toString();
        return new Key(appliedCalls(id.substring(0, 1)), issuedAt(call.issuedAtMillis()) + "/" + id);
    }

    static String directory(long number) {
        return DIRECTORIES + number;
    }

    /** The number of the directory an entry is in. */
    static long directory(Key entry) {
        return Long.parseLong(entry.partition().substring(DIRECTORIES.length()));
    }

    static String snapshots(long root) {
        return "snapshots/" + root;
    }

    static Key snapshot(long root, String name) {
        return new Key(snapshots(root), name);
    }

    static String past(String digit) {
        return "past/" + digit;
    }

    /** Where what was in a directory is: all of one in one partition. */
    static String pastOf(long directory) {
        return past(DIGITS.get((int) (directory % DIGITS.size())));
    }

    /** What a name stood for until a snapshot's number; names have no control characters. */
    static Key past(long directory, String name, long until) {
        return new Key(
                pastOf(directory), pastStart(directory) + name + BREAK + String.format(Locale.ROOT, "%019d", until));
    }

    private static String pastStart(long directory) {
        return String.format(Locale.ROOT, "%019d", directory) + BREAK;
    }

    /** Below all names that follow this one, which may be empty. */
    static String pastAfter(long directory, String name) {
        return pastStart(directory) + name + (name.isEmpty() ? "" : AFTER_BREAK);
    }

    static String pastEnd(long directory) {
        return String.format(Locale.ROOT, "%019d", directory) + AFTER_BREAK;
    }

    static String pastName(Key past) {
        return past.sort().split(BREAK, -1)[1];
    }

    static long until(Key past) {
        return Long.parseLong(past.sort().split(BREAK, -1)[2]);
    }

    static Key entry(long directory, String name) {
        return new Key(directory(directory), name);
    }

    static Key dropped(long directory) {
        return new Key(DROPPED, String.format(Locale.ROOT, "%019d", directory));
    }

    /** All that is kept of a version. */
    static String ofVersion(VersionId id) {
        return "v/" + id;
    }

    static Key state(VersionId id) {
        return new Key(ofVersion(id), "state");
    }

    static Key digest(VersionId id, int segment) {
        return new Key(ofVersion(id), String.format(Locale.ROOT, "%s%010d", DIGESTS, segment));
    }

    static String parts(int segment) {
        return String.format(Locale.ROOT, "%s%010d/", PARTS, segment);
    }

    static Key part(VersionId id, int segment, int part) {
        return new Key(ofVersion(id), parts(segment) + part);
    }

    static Key replica(ReplicaReport replica) {
        return new Key(
                ofVersion(replica.chunk().version()), replicasOf(replica.chunk().index()) + replica.store());
    }

    /** The replicas of one chunk, and all that follow. */
    static String replicasOf(long chunk) {
        return String.format(Locale.ROOT, "%s%010d/", REPLICAS, chunk);
    }

    /** What a segment, while it has this digest, names of other versions. */
    static Key names(VersionId id, int segment, String digest) {
        return new Key(ofVersion(id), namesOf(segment) + digest);
    }

    /** Whether it is about chunks that one version wrote and another names. */
    static boolean isOfSharing(Key ofVersion) {
        return ofVersion.sort().startsWith(NAMES) || ofVersion.sort().startsWith(NAMED);
    }

    /** What a segment names, whatever digest it has. */
    static String namesOf(int segment) {
        return String.format(Locale.ROOT, "%s%010d/", NAMES, segment);
    }

    /** The same with the version that wrote it: chunks from {@code first} on. */
    static Key named(VersionId owner, long first, VersionId by, int segment, String digest) {
        return new Key(
                ofVersion(owner), String.format(Locale.ROOT, "%s/%s/%010d/%s", namedFrom(first), by, segment, digest));
    }

    static String namedFrom(long first) {
        return String.format(Locale.ROOT, "%s%010d", NAMED, first);
    }

    /** Who names what this item says. */
    static VersionId namer(Key named) {
        return new VersionId(part(named, 2));
    }

    /** The digest of the segment that names what this item says, as it is now. */
    static Key digestOf(Key named) {
        return digest(namer(named), Integer.parseInt(part(named, 3)));
    }

    /** The segment that an item in its version's partition is about. */
    static int segment(Key ofSegment) {
        return Integer.parseInt(part(ofSegment, 1));
    }

    /** The digest in {@link #names}. */
    static String digest(Key names) {
        return part(names, 2);
    }

    private static String part(Key key, int index) {
        return key.sort().split("/", -1)[index];
    }

    static Key open(VersionId id) {
        return new Key(open(digit(id)), id.value());
    }

    static String open(String digit) {
        return "open/" + digit;
    }

    static Key retired(VersionId id) {
        return new Key(retired(digit(id)), id.value());
    }

    static String retired(String digit) {
        return "retired/" + digit;
    }

    /** Versions about some of whose replicas there may be something to do. */
    static Key pending(VersionId id) {
        return new Key(pending(digit(id)), id.value());
    }

    static String pending(String digit) {
        return "pending/" + digit;
    }

    /** Current versions. */
    static Key live(VersionId id) {
        return new Key(live(digit(id)), id.value());
    }

    static String live(String digit) {
        return "live/" + digit;
    }

    private static String digit(VersionId id) {
        return id.value().substring(0, 1);
    }
}
