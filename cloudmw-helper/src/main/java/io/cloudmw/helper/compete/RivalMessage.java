package io.cloudmw.helper.compete;

import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.race.RivalNotice;

/** A notice about a block from one helper's racer to the rivals at another helper. */
public record RivalMessage(RivalNotice notice, BlockId block, RacerId racer) {}
