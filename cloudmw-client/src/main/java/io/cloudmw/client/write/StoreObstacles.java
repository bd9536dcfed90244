package io.cloudmw.client.write;

import io.cloudmw.core.bulk.message.WriteObstacle;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.time.Ticker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The obstacles that keep stores from taking chunks, as the coordinator reports them; asked for while a put waits,
 * every {@value #EVERY_SECONDS} s. Confined to the transfer's executor.
 */
final class StoreObstacles {
    private static final int EVERY_SECONDS = 5;
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(EVERY_SECONDS);

    private final Supplier<CompletableFuture<UpkeepStatus>> status;
    private final SerialExecutor serial;
    private final Ticker ticker;
    private Map<StoreId, String> known = Map.of();
    private @Nullable CompletableFuture<UpkeepStatus> asked;
    private long askedNanos;

    StoreObstacles(Supplier<CompletableFuture<UpkeepStatus>> status, SerialExecutor serial, Ticker ticker) {
        this.status = status;
        this.serial = serial;
        this.ticker = ticker;
    }

    /** Asks the coordinator, unless it was asked a moment ago. */
    void ask() {
        CompletableFuture<UpkeepStatus> before = asked;
        if (before != null && (!before.isDone() || ticker.nanos() - askedNanos < EVERY_NANOS)) {
            return;
        }
        askedNanos = ticker.nanos();
        CompletableFuture<UpkeepStatus> call = status.get();
        asked = call;
        var unused = call.whenComplete((answer, failure) -> serial.execute(() -> {
            if (answer != null) { // otherwise the earlier answer stays
                known = obstacles(answer);
            }
        }));
    }

    private static Map<StoreId, String> obstacles(UpkeepStatus status) {
        Map<StoreId, String> obstacles = new HashMap<>();
        for (StoreCondition store : status.stores()) {
            String obstacle = store.candidate().obstacle();
            if (!obstacle.isEmpty()) {
                obstacles.put(store.id(), obstacle);
            } else if (!store.available()) {
                obstacles.put(store.id(), "away for " + store.away().toSeconds() + " s");
            }
        }
        return obstacles;
    }

    /**
     * The stores by name, each with its known obstacle.
     *
     * @param troubles obstacles that the writing helper has met
     */
    String text(List<StoreId> stores, List<WriteObstacle> troubles) {
        return stores.stream().map(store -> text(store, troubles)).collect(Collectors.joining(", "));
    }

    private String text(StoreId store, List<WriteObstacle> troubles) {
        Optional<String> met = troubles.stream()
                .filter(trouble -> trouble.store().equals(store))
                .map(trouble -> trouble.code() + " after " + trouble.tries()
                        + (trouble.tries() == 1 ? " try: " : " tries: ") + trouble.reason())
                .findFirst();
        return met.or(() -> Optional.ofNullable(known.get(store)))
                .map(obstacle -> store + " (" + obstacle + ")")
                .orElseGet(store::value);
    }

    /** Cancels the call. Idempotent. */
    void close() {
        if (asked != null) {
            asked.cancel(true);
        }
    }
}
