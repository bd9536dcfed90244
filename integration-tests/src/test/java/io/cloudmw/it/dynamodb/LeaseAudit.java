package io.cloudmw.it.dynamodb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A proxy between coordinators and DynamoDB that records the accepted writes of background jobs. Each record has the
 * coordinator, the epoch of the lease that the write depends on, and the removed items. Safe for any thread.
 */
public final class LeaseAudit implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final URI engine;
    private final List<FaultyNetwork> networks = new ArrayList<>();
    private final Queue<Write> writes = new ConcurrentLinkedQueue<>();
    private final Set<String> tokens = ConcurrentHashMap.newKeySet();

    /**
     * An accepted transaction.
     *
     * @param grants whether the transaction grants, renews or ends the lease
     * @param removed the partition and name of each removed item
     */
    private record Write(
            String coordinator,
            String job,
            long epoch,
            boolean grants,
            Set<String> removed,
            long sentNanos,
            long answeredNanos) {}

    public LeaseAudit(DynamoDbLocal engine) {
        this.engine = engine.endpoint();
    }

    /** Returns the endpoint of the engine for a coordinator of this name. */
    public URI endpoint(String coordinator) throws IOException {
        FaultyNetwork network = new FaultyNetwork(
                engine, (operation, request, status, sentNanos) -> note(coordinator, request, status, sentNanos));
        networks.add(network);
        return network.endpoint();
    }

    private void note(String coordinator, byte[] request, int status, long sentNanos) throws IOException {
        long answeredNanos = Ticker.system().nanos();
        JsonNode body = JSON.readTree(request);
        // A request repeated because of a lost answer has the same token and takes effect once.
        if (status != 200
                || body.path("ClientRequestToken").isMissingNode()
                || !tokens.add(body.path("ClientRequestToken").asText())) {
            return;
        }
        Set<String> removed = new HashSet<>();
        Optional<JsonNode> required = Optional.empty();
        Optional<JsonNode> granted = Optional.empty();
        for (JsonNode item : body.path("TransactItems")) {
            if (isLease(item.at("/ConditionCheck/Key"))) {
                required = Optional.of(item.path("ConditionCheck"));
            } else if (isLease(item.at("/Put/Item"))) {
                granted = Optional.of(item.at("/Put/Item"));
            } else if (item.has("Delete")) {
                removed.add(place(item.at("/Delete/Key")));
            }
        }
        if (granted.isPresent() || required.isPresent()) {
            JsonNode key = granted.orElseGet(() -> JSON.createObjectNode());
            String job = granted.isPresent()
                    ? text(key, "sk")
                    : text(required.orElseThrow().path("Key"), "sk");
            long epoch = granted.isPresent()
                    ? key.at("/leaseEpoch/N").asLong()
                    : required.orElseThrow()
                            .at("/ExpressionAttributeValues/:epoch/N")
                            .asLong();
            writes.add(new Write(coordinator, job, epoch, granted.isPresent(), removed, sentNanos, answeredNanos));
        }
    }

    private static boolean isLease(JsonNode key) {
        return text(key, "pk").equals("leases");
    }

    private static String place(JsonNode key) {
        return text(key, "pk") + " " + text(key, "sk");
    }

    private static String text(JsonNode item, String name) {
        return item.path(name).path("S").asText();
    }

    private List<Write> of(String job) {
        return writes.stream().filter(write -> write.job().equals(job)).toList();
    }

    /** Returns the coordinator that was last granted a job's lease. */
    public Optional<String> holder(String job) {
        return of(job).stream()
                .filter(Write::grants)
                .max(Comparator.comparingLong(Write::epoch))
                .map(Write::coordinator);
    }

    /** Returns the number of epochs of a job's lease. */
    public long grants(String job) {
        return of(job).stream()
                .filter(Write::grants)
                .map(Write::epoch)
                .distinct()
                .count();
    }

    /**
     * Returns the violations: writes of one epoch by several coordinators, and accepted writes that were sent after a
     * newer epoch was granted.
     */
    public List<String> violations() {
        List<String> violations = new ArrayList<>();
        for (String job : Set.copyOf(writes.stream().map(Write::job).toList())) {
            List<Write> all = of(job);
            Map<Long, String> holders = new HashMap<>();
            for (Write write : all) {
                String holder = holders.computeIfAbsent(write.epoch(), epoch -> write.coordinator());
                if (!holder.equals(write.coordinator())) {
                    violations.add(write + ": of an epoch of " + holder);
                }
                all.stream()
                        .filter(newer -> newer.grants() && newer.epoch() > write.epoch())
                        .filter(newer -> newer.answeredNanos() - write.sentNanos() < 0)
                        .findFirst()
                        .ifPresent(newer -> violations.add(write + ": after " + newer));
            }
        }
        return violations;
    }

    private long removals(String job, String place) {
        return of(job).stream().filter(write -> write.removed().contains(place)).count();
    }

    /** Returns how often an upload was abandoned. */
    public long abandonments(VersionId version) {
        return removals("abandoned-uploads", "open/" + version.value().charAt(0) + " " + version);
    }

    /** Returns how often upkeep recorded the true state of a copy after another state was recorded. */
    public long settlements(ChunkId chunk, StoreId store) {
        return removals("upkeep", String.format(Locale.ROOT, "v/%s r/%010d/%s", chunk.version(), chunk.index(), store));
    }

    /** Returns how often collection removed a version from its list. */
    public long forgettings(VersionId version) {
        return removals("upkeep", "retired/" + version.value().charAt(0) + " " + version);
    }

    @Override
    public void close() {
        networks.forEach(FaultyNetwork::close);
    }
}
