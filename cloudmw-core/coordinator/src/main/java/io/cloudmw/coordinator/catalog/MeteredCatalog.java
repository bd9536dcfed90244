package io.cloudmw.coordinator.catalog;

import io.cloudmw.coordinator.lease.Leases;
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
 * A catalog every call of which is counted and timed, those of its parts included. A proxy and not a class: it does the same with
 * each of some fifty methods. Safe for any thread if the catalog is.
 */
public final class MeteredCatalog implements InvocationHandler {
    /** Parts of a catalog that are catalogs' own; what they answer is at once there. */
    private static final Set<Class<?>> PARTS =
            Set.of(Leases.class, Notes.class, Snapshots.class, ChangeLog.class, AppliedCalls.class);

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
     * The same catalog, metered.
     *
     * @param catalog closed when the other is
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
