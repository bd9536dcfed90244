package io.cloudmw.core.monitor;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.status.fleet.SpeedKey;

/** The speed that one reader sees at one store, for reads of one size. */
public record ReaderSpeed(HelperId reader, SpeedKey key, Speed speed) {}
