package io.cloudmw.core.testing;

import io.cloudmw.core.delivery.DeliveryActions;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.RacerId;

/** An action of {@link DeliveryActions} as a value, so that a test can compare, delay and drop it. */
public sealed interface DeliveryCommand {
    record Issue(Block block, IssueReason reason) implements DeliveryCommand {}

    record Withdraw(Block block) implements DeliveryCommand {}

    record Acknowledge(Block block) implements DeliveryCommand {}

    record Prepare(long relay, Block block, ByteRange wanted) implements DeliveryCommand {}

    record Accept(long relay, Block block, ByteRange wanted) implements DeliveryCommand {}

    record Shorten(Block block, ByteRange kept) implements DeliveryCommand {}

    record Refuse(long relay) implements DeliveryCommand {}

    record Abandon(RacerId racer, ErrorCode code) implements DeliveryCommand {}

    record RaceLocally(int spare) implements DeliveryCommand {}

    record Complete() implements DeliveryCommand {}

    record Fail(long chunkIndex, ErrorCode code) implements DeliveryCommand {}
}
