package io.cloudmw.client.transfer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Deals a get's share of memory out to its accepted relays, the one that waits longest first, and not leaf by leaf:
 * every grant is a frame, and wakes the sender. What is left when these need no more goes to those that are prepared, in the
 * order of the file: between two blocks a stream waits for nobody then. Confined to the transfer.
 */
final class CreditDesk {
    /** A window is refilled when this part of it, in leaves, was handed on. */
    private static final int REFILL_PART = 8;

    /** A relay has no credit at all any more, or has some again. */
    record Change(long relay, boolean withheld) {}

    private final TransferCredit share;
    private final int windows;

    private final Map<Long, Relay> accepted = new LinkedHashMap<>();
    /** Prepared and not accepted, in the order of the file. */
    private final NavigableSet<Relay> ahead =
            new TreeSet<>(Comparator.comparingLong(Relay::position).thenComparingLong(Relay::number));

    private boolean closing;

    /** @param windows relays among which the share is divided; none gets more than its part */
    CreditDesk(TransferCredit share, int windows) {
        this.share = share;
        this.windows = windows;
    }

    void prepared(Relay relay) {
        ahead.add(relay);
    }

    void opened(Relay relay) {
        if (ahead.remove(relay)) {
            share.isNeeded(relay.outstanding());
        }
        accepted.put(relay.number(), relay);
    }

    /** Grants what there is room for. */
    List<Change> grant() {
        List<Change> changes = new ArrayList<>();
        for (Relay relay : accepted.values()) {
            long taken = take(relay);
            if (taken > 0) {
                relay.grant(taken);
                if (relay.isWithheld()) {
                    relay.withheld(false);
                    changes.add(new Change(relay.number(), false));
                }
            } else if (relay.grantedBytes() == 0 && !relay.isWithheld()) {
                relay.withheld(true);
                changes.add(new Change(relay.number(), true));
            }
        }
        if (!accepted.isEmpty() && accepted.values().stream().allMatch(CreditDesk::hasAll)) {
            grantAhead();
        }
        return changes;
    }

    private static boolean hasAll(Relay relay) {
        return relay.grantedBytes() >= relay.length();
    }

    private void grantAhead() {
        for (Relay relay : ahead) {
            int leaf = relay.chunk().leafSizeBytes();
            long refill = Math.max(leaf, share.limit() / REFILL_PART - share.limit() / REFILL_PART % leaf);
            long taken = share.takeAhead(relay.length() - relay.grantedBytes(), refill);
            if (taken > 0) {
                relay.grant(taken);
            }
            if (!hasAll(relay)) {
                return;
            }
        }
    }

    private long take(Relay relay) {
        int leaf = relay.chunk().leafSizeBytes();
        long rest = relay.length() - relay.grantedBytes();
        long window = Math.max(leaf, share.limit() / windows - share.limit() / windows % leaf);
        long room = Math.min(rest, window - relay.outstanding());
        if (room < rest) {
            room -= room % leaf;
            room = room < window / REFILL_PART ? 0 : room;
        }
        return room <= 0 ? 0 : share.take(room, leaf);
    }

    /** A leaf was handed on and released. */
    void returned(Relay relay, long bytes) {
        relay.returned(bytes);
        share.giveBack(bytes);
    }

    /** It has brought everything. */
    void closed(Relay relay) {
        accepted.remove(relay.number());
    }

    /** Refused, and nothing of it is held any more. */
    void drained(Relay relay) {
        if (relay.isExpected() && ahead.remove(relay)) {
            share.isNeeded(relay.outstanding());
        } else if (accepted.remove(relay.number()) == null) {
            return;
        }
        returned(relay, relay.outstanding());
        settle();
    }

    /** Gives the share back as soon as every relay has drained. */
    void close() {
        closing = true;
        settle();
    }

    private void settle() {
        if (closing && accepted.isEmpty() && ahead.isEmpty()) {
            share.close();
        }
    }
}
