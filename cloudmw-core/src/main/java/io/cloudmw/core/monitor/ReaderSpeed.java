package io.cloudmw.core.monitor;

import io.cloudmw.core.model.HelperId;

/** A pair of who reads and what is read. */
public record ReaderSpeed(HelperId reader, SpeedKey key, Speed speed) {}
