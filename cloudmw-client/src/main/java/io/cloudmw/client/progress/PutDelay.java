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
 * Why a put has made no progress for a while.
 *
 * @param lasted since it last made some
 * @param reasons different ones, at most {@value #MAX_REASONS}; those that differ by their stores alone are one
 */
public record PutDelay(Duration lasted, List<Reason> reasons) {
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

    /** The reason of a wait. */
    public enum Kind {
        /** Bytes of the source. */
        SOURCE,
        /** Memory of this client, which other puts have. */
        MEMORY,
        /** An answer of the coordinator. */
        COORDINATOR,
        /** A helper: its connection, or its room for more bytes. */
        HELPER,
        /** Stores: a helper has all bytes of a chunk, and has not stored it yet. */
        STORES,
        /** The next try, after something has failed. */
        RETRY
    }

    /**
     * A reason of a delay.
     *
     * @param code of the last failure, where there was one
     * @param helper that is asked; empty: none is
     * @param stores that are written to, where a helper is asked
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
