package io.cloudmw.client.progress;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Location;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a warm-up did at one switch.
 *
 * @param askedBytes that it is to keep
 * @param hadBytes of those, that it kept already
 * @param parentBytes of those, that came from other switches
 * @param storeBytes of those, that came from stores
 * @param keptBytes of those, that it kept when all was done: what came may have had to go again; empty: nobody looked
 * @param failure the first reason why something is missing
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
    /** That it was to keep and that are not there. */
    public long missingBytes() {
        return Math.max(0, askedBytes - keptBytes.orElse(hadBytes + parentBytes + storeBytes));
    }

    /** Whether it keeps all of it. */
    public boolean isComplete() {
        return missingBytes() == 0;
    }

    /** The same switch with what another file adds. */
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

    /** The same, and how much of it a later look found. */
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
