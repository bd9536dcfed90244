package io.cloudmw.core.upkeep.task;

/**
 * What a round of garbage collection found in the stores, so far or in all.
 *
 * @param dry nothing is marked or deleted
 * @param beganMillis by the coordinator's clock; 0: there was none
 * @param listed copies that lie in stores
 * @param unnamed of those, copies that nothing names
 * @param waiting of those, copies that are not deleted yet because it is not known for long enough
 * @param deleted copies
 * @param deletedBytes their bytes
 * @param failed stores that could not be listed, and deletions that failed: the next round tries again
 * @param forgotten versions of which nothing is kept any more
 * @param unknown copies of versions of which the catalog knows nothing, and which stay: another cluster's, perhaps
 * @param stores that the round looks through
 * @param storesDone of those, stores that were looked through, or cannot be
 */
public record CollectRound(
        boolean dry,
        long beganMillis,
        long listed,
        long unnamed,
        long waiting,
        long deleted,
        long deletedBytes,
        long failed,
        long forgotten,
        long unknown,
        int stores,
        int storesDone) {
    public static final CollectRound NONE = new CollectRound(false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    public static CollectRound began(boolean dry, long nowMillis, int stores) {
        return new CollectRound(dry, nowMillis, 0, 0, 0, 0, 0, 0, 0, 0, stores, 0);
    }

    public CollectRound found(long copies, long garbage, long tooYoung) {
        return new CollectRound(
                dry,
                beganMillis,
                listed + copies,
                unnamed + garbage,
                waiting + tooYoung,
                deleted,
                deletedBytes,
                failed,
                forgotten,
                unknown,
                stores,
                storesDone);
    }

    public CollectRound unknown(long copies) {
        return new CollectRound(
                dry,
                beganMillis,
                listed + copies,
                unnamed,
                waiting,
                deleted,
                deletedBytes,
                failed,
                forgotten,
                unknown + copies,
                stores,
                storesDone);
    }

    public CollectRound deleted(long copies, long bytes) {
        return new CollectRound(
                dry,
                beganMillis,
                listed,
                unnamed,
                waiting,
                deleted + copies,
                deletedBytes + bytes,
                failed,
                forgotten,
                unknown,
                stores,
                storesDone);
    }

    public CollectRound failed(long times) {
        return new CollectRound(
                dry,
                beganMillis,
                listed,
                unnamed,
                waiting,
                deleted,
                deletedBytes,
                failed + times,
                forgotten,
                unknown,
                stores,
                storesDone);
    }

    /** All of a store was looked at, or it cannot be. */
    public CollectRound storeDone() {
        return new CollectRound(
                dry,
                beganMillis,
                listed,
                unnamed,
                waiting,
                deleted,
                deletedBytes,
                failed,
                forgotten,
                unknown,
                stores,
                storesDone + 1);
    }

    public CollectRound forgot(long versions) {
        return new CollectRound(
                dry,
                beganMillis,
                listed,
                unnamed,
                waiting,
                deleted,
                deletedBytes,
                failed,
                forgotten + versions,
                unknown,
                stores,
                storesDone);
    }
}
