package io.cloudmw.core.testing;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/** The machine that the simulation drives at the destination: {@link RecordedDelivery}, or a broken one that the invariants must catch. */
public interface DestinationMachine {
    List<DeliveryCommand> on(DeliveryEvent event, long nowNanos);

    boolean wantsPlan();

    OptionalLong wakeAtNanos();

    int remembered();

    /** The machine of the real delivery. */
    static DestinationMachine of(RecordedDelivery delivery) {
        return broken(delivery, commands -> commands);
    }

    /** The machine of the real delivery, with its commands tampered with. */
    static DestinationMachine broken(RecordedDelivery delivery, UnaryOperator<List<DeliveryCommand>> tamper) {
        return new DestinationMachine() {
            @Override
            public List<DeliveryCommand> on(DeliveryEvent event, long nowNanos) {
                return tamper.apply(delivery.on(event, nowNanos));
            }

            @Override
            public boolean wantsPlan() {
                return delivery.wantsPlan();
            }

            @Override
            public OptionalLong wakeAtNanos() {
                return delivery.wakeAtNanos();
            }

            @Override
            public int remembered() {
                return delivery.remembered();
            }
        };
    }
}
