package io.cloudmw.client.progress;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.Location;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The result of a warm-up at one switch.
 *
 * @param askedBytes bytes that it was to cache
 * @param hadBytes those of them that were cached already
 * @param parentBytes those of them that came from other switches
 * @param storeBytes those of them that came from stores
 * @param keptBytes those of them that were cached at the end, when some may have been evicted again; empty: not checked
 * @param failure the first reason why bytes are missing
 */
public record WarmedSwitch(
        HelperId helper,
        Location location,
        long askedBytes,
        long hadBytes,
        long parentBytes,
        long storeBytes,
        OptionalLong keptBytes,
        Optional<CloudMwException> failure) {
    /** Bytes that it was to cache and that are missing. */
    public long missingBytes() {
        return Math.max(0, askedBytes - keptBytes.orElse(hadBytes + parentBytes + storeBytes));
    }

    /** Returns whether the switch has everything cached. */
    public boolean isComplete() {
        return missingBytes() == 0;
    }

    /** The sum of this result and another file's. */
    WarmedSwitch plus(WarmedSwitch more) {
        return new WarmedSwitch(
                helper,
                more.location,
                askedBytes + more.askedBytes,
                hadBytes + more.hadBytes,
                parentBytes + more.parentBytes,
                storeBytes + more.storeBytes,
                keptBytes.isPresent() && more.keptBytes.isPresent()
                        ? OptionalLong.of(keptBytes.getAsLong() + more.keptBytes.getAsLong())
                        : OptionalLong.empty(),
                failure.or(more::failure));
    }

    /** This result, with that of a later check. */
    WarmedSwitch found(WarmedSwitch look) {
        return new WarmedSwitch(
                helper,
                location,
                askedBytes,
                hadBytes,
                parentBytes,
                storeBytes,
                look.keptBytes,
                failure.or(look::failure));
    }
}
