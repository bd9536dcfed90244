package io.cloudmw.coordinator.testing;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A catalog that counts calls and runs an event before or after a call, once. */
public final class InterposedCatalog {
    private final Map<String, Integer> calls = new HashMap<>();
    private final Map<String, Event> before = new HashMap<>();
    private final Map<String, Event> after = new HashMap<>();
    private final Catalog catalog;

    /** An event that happens during a call. */
    @FunctionalInterface
    public interface Event {
        void happen() throws CloudMwException;
    }

    public InterposedCatalog(Catalog behind) {
        catalog = (Catalog) Proxy.newProxyInstance(
                Catalog.class.getClassLoader(), new Class<?>[] {Catalog.class}, (proxy, method, arguments) -> {
                    calls.merge(method.getName(), 1, Integer::sum);
                    happen(before.remove(method.getName()));
                    Object result;
                    try {
                        result = method.invoke(behind, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    happen(after.remove(method.getName()));
                    return result;
                });
    }

    private static void happen(@Nullable Event event) throws CloudMwException {
        if (event != null) {
            event.happen();
        }
    }

    public Catalog catalog() {
        return catalog;
    }

    public int calls(String method) {
        return Objects.requireNonNullElse(calls.get(method), 0);
    }

    /** Runs the event before the next call of this method. */
    public void before(String method, Event event) {
        before.put(method, event);
    }

    /** Runs the event after the next call of this method took effect, before it returns. */
    public void after(String method, Event event) {
        after.put(method, event);
    }
}
