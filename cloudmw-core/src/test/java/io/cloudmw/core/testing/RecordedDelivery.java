package io.cloudmw.core.testing;

import io.cloudmw.core.delivery.Delivery;
import io.cloudmw.core.delivery.DeliveryActions;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** A {@link Delivery} that takes events as values and returns the actions it orders as values. */
public final class RecordedDelivery {
    private final List<DeliveryCommand> commands = new ArrayList<>();
    private final Delivery delivery;

    /** A delivery whose blocks no helper owns. */
    public RecordedDelivery(
            DeliveryPolicy policy,
            LaneLayout lanes,
            Set<RacerId> reachable,
            SpeedEstimates speeds,
            RedundancyBudget budget) {
        this(policy, lanes, reachable, speeds, budget, BlockOwners.NONE);
    }

    public RecordedDelivery(
            DeliveryPolicy policy,
            LaneLayout lanes,
            Set<RacerId> reachable,
            SpeedEstimates speeds,
            RedundancyBudget budget,
            BlockOwners owners) {
        this.delivery = new Delivery(policy, lanes, reachable, speeds, budget, owners, new Recorder(commands));
    }

    /** Takes an event and returns the actions ordered, in their order. */
    public List<DeliveryCommand> on(DeliveryEvent event, long nowNanos) {
        commands.clear();
        event.tell(delivery, nowNanos);
        return List.copyOf(commands);
    }

    public boolean wantsPlan() {
        return delivery.wantsPlan();
    }

    public OptionalLong wakeAtNanos() {
        return delivery.wakeAtNanos();
    }

    public IssueCounts counts() {
        return delivery.counts();
    }

    public DirectUse directUse() {
        return delivery.directUse();
    }

    public void close() {
        delivery.close();
    }

    public int remembered() {
        return delivery.remembered();
    }

    private record Recorder(List<DeliveryCommand> commands) implements DeliveryActions {
        @Override
        public void issue(Block block, IssueReason reason) {
            commands.add(new DeliveryCommand.Issue(block, reason));
        }

        @Override
        public void withdraw(Block block) {
            commands.add(new DeliveryCommand.Withdraw(block));
        }

        @Override
        public void acknowledge(Block block) {
            commands.add(new DeliveryCommand.Acknowledge(block));
        }

        @Override
        public void prepare(long relay, Block block, ByteRange wanted) {
            commands.add(new DeliveryCommand.Prepare(relay, block, wanted));
        }

        @Override
        public void accept(long relay, Block block, ByteRange wanted) {
            commands.add(new DeliveryCommand.Accept(relay, block, wanted));
        }

        @Override
        public void shorten(Block block, ByteRange kept) {
            commands.add(new DeliveryCommand.Shorten(block, kept));
        }

        @Override
        public void refuse(long relay) {
            commands.add(new DeliveryCommand.Refuse(relay));
        }

        @Override
        public void abandon(RacerId racer, ErrorCode code) {
            commands.add(new DeliveryCommand.Abandon(racer, code));
        }

        @Override
        public void raceDirectly(int spare) {
            commands.add(new DeliveryCommand.RaceLocally(spare));
        }

        @Override
        public void complete() {
            commands.add(new DeliveryCommand.Complete());
        }

        @Override
        public void fail(long chunkIndex, ErrorCode code) {
            commands.add(new DeliveryCommand.Fail(chunkIndex, code));
        }
    }
}
