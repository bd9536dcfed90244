package io.cloudmw.client.progress;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A delay of a put that has made no progress for a while.
 *
 * @param lasted the time since its last progress
 * @param reasons distinct reasons, at most {@value #MAX_REASONS}; reasons that differ only by their stores are one
 */
public record PutDelay(Duration lasted, List<Reason> reasons) {
    /** The largest number of reasons. */
    public static final int MAX_REASONS = 3;

    public PutDelay {
        Map<Reason, Set<StoreId>> stores = new LinkedHashMap<>();
        reasons.forEach(reason -> stores.computeIfAbsent(reason.in(List.of()), key -> new LinkedHashSet<>())
                .addAll(reason.stores()));
        reasons = stores.entrySet().stream()
                .limit(MAX_REASONS)
                .map(entry -> entry.getKey().in(List.copyOf(entry.getValue())))
                .toList();
    }

    /** The kind of a reason. */
    public enum Kind {
        /** The put waits for bytes of the source. */
        SOURCE,
        /** The put waits for memory of this client, which other puts use. */
        MEMORY,
        /** The put waits for an answer of the coordinator. */
        COORDINATOR,
        /** The put waits for a helper: its connection, or room for more bytes. */
        HELPER,
        /** The put waits for stores: a helper has every byte of a chunk, and has not stored it yet. */
        STORES,
        /** The put waits for the next try after a failure. */
        RETRY
    }

    /**
     * A reason of a delay.
     *
     * @param code of the last failure; empty: there was none
     * @param helper the helper that is waited for; empty: none is
     * @param stores the stores to which that helper writes
     * @param text for people
     */
    public record Reason(
            Kind kind, Optional<ErrorCode> code, Optional<HelperId> helper, List<StoreId> stores, String text) {
        public Reason {
            stores = List.copyOf(stores);
        }

        private Reason in(List<StoreId> others) {
            return new Reason(kind, code, helper, others, text);
        }

        /** A reason without a helper or a failure. */
        public static Reason of(Kind kind, String text) {
            return new Reason(kind, Optional.empty(), Optional.empty(), List.of(), text);
        }
    }

    /** All reasons in one line. */
    public String text() {
        return reasons.stream().map(Reason::text).collect(Collectors.joining("; "));
    }
}
