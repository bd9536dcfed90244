package io.cloudmw.coordinator.upkeep;

import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.upkeep.ReplacedProgress;

/**
 * The note on a store whose disk or bucket was replaced, so that the next coordinator goes on.
 *
 * @param mark of which replacement: its identity and time
 * @param position where the walk over all manifests is; everything before it was looked for
 * @param looked copies that were looked for
 * @param missing copies that were not there
 * @param made copies that were made anew
 * @param stage how far it is
 */
record ReplacedNote(String mark, String position, long looked, long missing, long made, Stage stage) {
    /** How far it is. */
    enum Stage {
        /** Copies are looked for. */
        LOOKING,
        /** All were looked for; some are still to be made. */
        MAKING,
        /** All are there again. */
        COMPLETE
    }

    private static final String SEPARATOR = "|";

    static ReplacedNote begin(String mark) {
        return new ReplacedNote(mark, "", 0, 0, 0, Stage.LOOKING);
    }

    /** Tells a replacement from all others. */
    static String mark(StoreIdentity identity) {
        return identity.value() + "@" + identity.replacedAtMillis();
    }

    ReplacedNote at(String reached) {
        return new ReplacedNote(mark, reached, looked, missing, made, stage);
    }

    ReplacedNote found(long more, long absent) {
        return new ReplacedNote(mark, position, looked + more, missing + absent, made, stage);
    }

    ReplacedNote made(long more) {
        return new ReplacedNote(mark, position, looked, missing, made + more, stage);
    }

    ReplacedNote lookedThrough() {
        return new ReplacedNote(mark, "", looked, missing, made, Stage.MAKING);
    }

    ReplacedNote complete() {
        return new ReplacedNote(mark, "", looked, missing, missing, Stage.COMPLETE);
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

    static ReplacedNote parse(String text) {
        String[] parts = text.split("\\|", 6);
        return new ReplacedNote(
                parts[0],
                parts[5],
                Long.parseLong(parts[2]),
                Long.parseLong(parts[3]),
                Long.parseLong(parts[4]),
                Stage.valueOf(parts[1]));
    }
}
