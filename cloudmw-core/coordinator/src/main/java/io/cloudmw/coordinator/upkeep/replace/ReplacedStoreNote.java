package io.cloudmw.coordinator.upkeep.replace;

import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.status.ReplacedProgress;

/**
 * The note on the recovery from a replaced disk or bucket, by which the next holder continues.
 *
 * @param mark identifies the replacement by identity and time
 * @param position of the walk over all manifests; everything before it was checked
 * @param looked copies that were checked
 * @param missing copies that were not there
 * @param made copies that were made again
 * @param stage how far the recovery is
 */
record ReplacedStoreNote(String mark, String position, long looked, long missing, long made, Stage stage) {
    /** The stages of the recovery. */
    enum Stage {
        /** Copies are being checked. */
        LOOKING,
        /** All copies were checked; some are still to be made. */
        MAKING,
        /** All copies exist again. */
        COMPLETE
    }

    private static final String SEPARATOR = "|";

    static ReplacedStoreNote begin(String mark) {
        return new ReplacedStoreNote(mark, "", 0, 0, 0, Stage.LOOKING);
    }

    /** Returns the mark that identifies a replacement. */
    static String mark(StoreIdentity identity) {
        return identity.value() + "@" + identity.replacedAtMillis();
    }

    ReplacedStoreNote at(String reached) {
        return new ReplacedStoreNote(mark, reached, looked, missing, made, stage);
    }

    ReplacedStoreNote found(long more, long absent) {
        return new ReplacedStoreNote(mark, position, looked + more, missing + absent, made, stage);
    }

    ReplacedStoreNote made(long more) {
        return new ReplacedStoreNote(mark, position, looked, missing, made + more, stage);
    }

    ReplacedStoreNote lookedThrough() {
        return new ReplacedStoreNote(mark, "", looked, missing, made, Stage.MAKING);
    }

    ReplacedStoreNote complete() {
        return new ReplacedStoreNote(mark, "", looked, missing, missing, Stage.COMPLETE);
    }

    ReplacedProgress progress(long replacedAtMillis) {
        return new ReplacedProgress(
                replacedAtMillis,
                looked,
                missing,
                Math.min(made, missing),
                stage != Stage.LOOKING,
                stage == Stage.COMPLETE);
    }

    String text() {
        return String.join(
                SEPARATOR,
                mark,
                stage.name(),
                Long.toString(looked),
                Long.toString(missing),
                Long.toString(made),
                position);
    }

    static ReplacedStoreNote parse(String text) {
        String[] parts = text.split("\\|", 6);
        return new ReplacedStoreNote(
                parts[0],
                parts[5],
                Long.parseLong(parts[2]),
                Long.parseLong(parts[3]),
                Long.parseLong(parts[4]),
                Stage.valueOf(parts[1]));
    }
}
