package io.cloudmw.core.monitor;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.SpeedKey;
import java.util.Optional;

/**
 * A line of a {@link SpeedBook}.
 *
 * @param reader empty: any reader
 */
public record SpeedEntry(Optional<HelperId> reader, SpeedKey key, ExpectedSpeed speed) {}
