package io.cloudmw.client.transfer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Deals a get's share of memory out to its accepted relays, the one that waits longest first, and not leaf by leaf:
 * every grant is a frame, and wakes the sender. Confined to the transfer.
 */
final class CreditDesk {
    /** A window is refilled when this part of it, in leaves, was handed on. */
    private static final int REFILL_PART = 8;

    /** A relay has no credit at all any more, or has some again. */
    record Change(long relay, boolean withheld) {}

    private final TransferCredit share;
    private final int windows;

    private final Map<Long, Relay> accepted = new LinkedHashMap<>();
    private boolean closing;

    /** @param windows relays among which the share is divided; none gets more than its part */
    CreditDesk(TransferCredit share, int windows) {
        this.share = share;
        this.windows = windows;
    }

    void opened(Relay relay) {
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
        return changes;
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
        if (accepted.remove(relay.number()) != null) {
            returned(relay, relay.outstanding());
            settle();
        }
    }

    /** Gives the share back as soon as every relay has drained. */
    void close() {
        closing = true;
        settle();
    }

    private void settle() {
        if (closing && accepted.isEmpty()) {
            share.close();
        }
    }
}
