package io.cloudmw.coordinator.catalog;

import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
import io.cloudmw.coordinator.grant.SubjectRecords;
import io.cloudmw.coordinator.lease.Leases;
import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.CoordinatorMetrics;
import io.cloudmw.core.time.Ticker;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A proxy that counts and times every call of a catalog and of its parts. A proxy treats some fifty methods alike,
 * where a class would repeat them. Safe for any thread if the catalog is.
 */
public final class MeteredCatalog implements InvocationHandler {
    /** The parts of a catalog, which their getters return without blocking. */
    private static final Set<Class<?>> PARTS = Set.of(
            Leases.class,
            LockRecords.class,
            SubjectRecords.class,
            UpkeepNotes.class,
            SnapshotRecords.class,
            ChangeLog.class,
            AppliedCalls.class);

    private final Object target;
    private final String prefix;
    private final CoordinatorMetrics metrics;
    private final Ticker ticker;

    private MeteredCatalog(Object target, String prefix, CoordinatorMetrics metrics, Ticker ticker) {
        this.target = target;
        this.prefix = prefix;
        this.metrics = metrics;
        this.ticker = ticker;
    }

    /**
     * Returns the same catalog, metered.
     *
     * @param catalog closed with the returned one
     */
    public static Catalog of(Catalog catalog, CoordinatorMetrics metrics, Ticker ticker) {
        return (Catalog) proxy(Catalog.class, new MeteredCatalog(catalog, "", metrics, ticker));
    }

    private static Object proxy(Class<?> type, MeteredCatalog metered) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, metered);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (PARTS.contains(method.getReturnType())) {
            Object part = Objects.requireNonNull(call(method, arguments), method.getName());
            String name = prefix + method.getName() + ".";
            return proxy(method.getReturnType(), new MeteredCatalog(part, name, metrics, ticker));
        }
        long began = ticker.nanos();
        String code = ErrorCode.INTERNAL.name();
        try {
            Object answer = call(method, arguments);
            code = CoordinatorMetrics.OK;
            return answer;
        } catch (CloudMwException e) {
            code = e.code().name();
            throw e;
        } finally {
            metrics.looked(prefix + method.getName(), code, ticker.nanos() - began);
        }
    }

    private @Nullable Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
