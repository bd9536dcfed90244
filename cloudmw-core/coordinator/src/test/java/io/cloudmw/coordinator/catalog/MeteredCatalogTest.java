package io.cloudmw.coordinator.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.CoordinatorMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.testing.FakeTicker;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class MeteredCatalogTest {
    private final FakeTicker ticker = new FakeTicker();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final InMemoryCatalog inner = new InMemoryCatalog();
    private final Catalog catalog = MeteredCatalog.of(slow(inner), new CoordinatorMetrics(meters), ticker);

    /** Returns the catalog with calls that take three milliseconds. */
    private Catalog slow(Catalog fast) {
        return (Catalog) Proxy.newProxyInstance(
                Catalog.class.getClassLoader(), new Class<?>[] {Catalog.class}, (proxy, method, arguments) -> {
                    ticker.advance(Duration.ofMillis(3));
                    return method.invoke(fast, arguments);
                });
    }

    private Timer timer(String operation, String code) {
        return meters.get(CoordinatorMetrics.CATALOG)
                .tags("operation", operation, "code", code)
                .timer();
    }

    @Test
    void everyCallIsCountedAndTimedAndAnswersAsWithoutMetrics() throws Exception {
        assertThat(catalog.volumes()).isEmpty();
        assertThat(catalog.clusterId()).isEqualTo(inner.clusterId());
        assertThat(catalog.volumes()).isEmpty();
        assertThat(timer("volumes", "OK").count()).isEqualTo(2);
        assertThat(timer("volumes", "OK").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(6);
        assertThat(timer("clusterId", "OK").count()).isOne();
    }

    @Test
    void callsOfPartsOfTheCatalogAreCounted() throws Exception {
        Lease lease = catalog.leases()
                .acquire("job", "holder", Duration.ofSeconds(1), 0)
                .orElseThrow();
        catalog.notes().put(lease, "key", "text");
        assertThat(inner.notes().startingWith("")).isEqualTo(Map.of("key", "text"));
        assertThat(timer("leases.acquire", "OK").count()).isOne();
        assertThat(timer("notes.put", "OK").count()).isOne();
    }

    @Test
    void refusalIsUnchangedAndCountedByItsCode() {
        Catalog metered = MeteredCatalog.of(inner, new CoordinatorMetrics(meters), ticker);
        StoreId unknown = new StoreId("s");
        CloudMwException refusal =
                catchThrowableOfType(CloudMwException.class, () -> metered.removeStore(unknown, ChangeRequest.once(0)));
        assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(timer("removeStore", "NOT_FOUND").count()).isOne();
    }
}
