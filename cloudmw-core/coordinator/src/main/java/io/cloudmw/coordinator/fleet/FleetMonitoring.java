package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.monitor.FleetSpeeds;
import io.cloudmw.core.monitor.ReaderSpeed;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.fleet.FleetView;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SpeedKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The measurements of helpers: speeds of stores and activity. Nothing survives a restart. Safe for any thread. */
public final class FleetMonitoring {
    private static final Comparator<ReaderSpeed> MOST_READ_FIRST = Comparator.comparingDouble(
                    (ReaderSpeed pair) -> -pair.speed().readsPerSecond())
            .thenComparing(ReaderSpeed::reader)
            .thenComparing(pair -> pair.key().store())
            .thenComparing(pair -> pair.key().size());

    private final HelperRegistry helpers;
    private final StoreView stores;
    private final FleetSpeeds speeds;
    private final Map<HelperId, HelperActivity> activities = new ConcurrentHashMap<>();
    private final HelperConnectionStates connections = new HelperConnectionStates();

    public FleetMonitoring(HelperRegistry helpers, StoreView stores, FleetSpeeds speeds) {
        this.helpers = helpers;
        this.stores = stores;
        this.speeds = speeds;
    }

    /** Returns the connections over which helpers are heard. */
    public HelperConnectionStates connections() {
        return connections;
    }

    /** Records the measurements in a heartbeat of a helper whose lease holds. */
    public void heard(HelperId helper, Map<SpeedKey, Speed> news, HelperActivity activity) {
        speeds.report(helper, news);
        if (activities.size() >= HelperRegistry.MAX_HELPERS) {
            activities.keySet().removeIf(id -> !helpers.isAlive(id));
        }
        activities.put(helper, activity);
    }

    /** Returns the speeds of all stores and helpers. The work grows with the number of reports. */
    public FleetSpeeds.Totals speeds() {
        return FleetSpeeds.totals(speeds.all());
    }

    /** Returns what a helper reported of its activity. */
    public HelperActivity activity(HelperId helper) {
        return activities.getOrDefault(helper, HelperActivity.NONE);
    }

    /** Returns how many transfers a helper reported. */
    public long transfers(HelperId helper) {
        return activity(helper).transfers();
    }

    /** Returns all stores and helpers by id, with the speed that each helper measures of each store. */
    public FleetView view() throws CloudMwException {
        List<ReaderSpeed> pairs = speeds.all();
        FleetSpeeds.Totals totals = FleetSpeeds.totals(pairs);
        List<FleetView.OfStore> storeRows = new ArrayList<>();
        for (StoreStatus status : stores.all()) {
            Speed speed = totals.stores().getOrDefault(status.store().id(), Speed.UNKNOWN);
            storeRows.add(new FleetView.OfStore(status.store().id(), status.available(), speed.summary()));
        }
        List<FleetView.OfHelper> helperRows = new ArrayList<>();
        for (RegisteredHelper status : helpers.all()) {
            HelperId id = status.address().id();
            helperRows.add(new FleetView.OfHelper(
                    id,
                    status.alive(),
                    status.lastHeartbeatAgeMillis(),
                    activity(id),
                    totals.readers().getOrDefault(id, Speed.UNKNOWN).summary()));
        }
        List<FleetView.OfPair> pairRows = pairs.stream()
                .sorted(MOST_READ_FIRST)
                .limit(FleetView.MAX_PAIRS)
                .map(pair -> new FleetView.OfPair(
                        pair.reader(), pair.key(), pair.speed().summary()))
                .toList();
        return new FleetView(storeRows, helperRows, pairRows, pairs.size() - pairRows.size());
    }
}
