package io.cloudmw.lab.torture.fault;

import java.util.Locale;

/** The kinds of faults. */
public enum FaultKind {
    HELPER_KILLED(Place.STORE, 3),
    HELPER_PAUSED(Place.STORE, 3),
    DISK_FULL(Place.STORE, 3),
    CLIENTS_CUT_FROM_HELPER(Place.STORE, 3),
    HELPER_CUT_FROM_COORDINATOR(Place.STORE, 3),
    STORE_LOST(Place.LOST_STORE, 0),
    BUCKET_LOST(Place.LOST_STORE, 0),
    STORE_LEAVES(Place.VOLUMES, 1),
    REPLICAS_CHANGED(Place.VOLUMES, 1),
    COORDINATOR_KILLED(Place.COORDINATOR, 2),
    COORDINATOR_PAUSED(Place.COORDINATOR, 2),
    CLIENTS_CUT_FROM_COORDINATOR(Place.COORDINATOR, 2),
    HELPERS_CUT(Place.BETWEEN_HELPERS, 6),
    COPY_DELETED(Place.COPIES, 12),
    BIT_FLIPPED(Place.COPIES, 12),
    COPY_TRUNCATED(Place.COPIES, 12),
    HELPER_RESTARTED(Place.STORE, 0),
    COORDINATOR_RESTARTED(Place.COORDINATOR, 0),
    SECRET_ROTATED(Place.SECRET, 0),
    AUTHORITY_REPLACED(Place.AUTHORITY, 0);

    /** The part of the cluster that a fault affects. Each has at most one fault at a time. */
    public enum Place {
        STORE(2),
        LOST_STORE(0),
        VOLUMES(5),
        COORDINATOR(15),
        BETWEEN_HELPERS(2),
        COPIES(0),
        SECRET(0),
        AUTHORITY(0);

        private final int longestRestSeconds;

        Place(int longestRestSeconds) {
            this.longestRestSeconds = longestRestSeconds;
        }

        /** Returns the longest pause between two faults of this place. */
        public int longestRestSeconds() {
            return longestRestSeconds;
        }
    }

    private final Place place;
    private final int share;

    FaultKind(Place place, int share) {
        this.place = place;
        this.share = share;
    }

    public Place place() {
        return place;
    }

    /** Returns the relative frequency of this kind; 0: the kind is not drawn but happens at set times. */
    int share() {
        return share;
    }

    /**
     * Returns whether this kind is drawn at random.
     *
     * @param canCut whether connections can be cut on this system
     */
    public boolean isDrawn(boolean canCut) {
        return share > 0 && (canCut || !isCut());
    }

    public boolean isCut() {
        return name().contains("CUT");
    }

    /** Returns whether this kind makes one disk store unreachable or unwritable. */
    public boolean isOfStore() {
        return place == Place.STORE || this == STORE_LOST;
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
