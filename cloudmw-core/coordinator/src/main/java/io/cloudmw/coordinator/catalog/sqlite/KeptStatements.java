package io.cloudmw.coordinator.catalog.sqlite;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connection that keeps prepared statements for their next use: SQLite takes longer to prepare a statement than to run
 * it. A statement that was closed is kept under its text, unless one of its calls has failed. Like the connection, it is
 * used by one thread at a time.
 */
final class KeptStatements implements InvocationHandler {
    /** The most statements kept by a connection. The catalog has fewer. */
    static final int MOST = 256;

    private final Connection connection;

    /** The statements that are not in use, by their text. */
    private final Map<String, PreparedStatement> free = new HashMap<>();

    private KeptStatements(Connection connection) {
        this.connection = connection;
    }

    /** Wraps a connection. Closing the result closes the connection, and so its statements. */
    static Connection over(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                KeptStatements.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new KeptStatements(connection));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (arguments != null && arguments.length == 1 && method.getName().equals("prepareStatement")) {
            return prepared(String.valueOf(arguments[0]));
        }
        return call(connection, method, arguments);
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement kept = free.remove(sql);
        return kept != null
                ? kept
                : (PreparedStatement) Proxy.newProxyInstance(
                        KeptStatements.class.getClassLoader(),
                        new Class<?>[] {PreparedStatement.class},
                        new Kept(sql, connection.prepareStatement(sql)));
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    /** A statement that {@link #close} returns to the connection. */
    private final class Kept implements InvocationHandler {
        private final String sql;
        private final PreparedStatement statement;
        private boolean failed;

        Kept(String sql, PreparedStatement statement) {
            this.sql = sql;
            this.statement = statement;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            try {
                if (method.getName().equals("close") && !failed) {
                    close((PreparedStatement) proxy);
                    return null;
                }
                return call(statement, method, arguments);
            } catch (SQLException e) {
                failed = true;
                throw e;
            }
        }

        private void close(PreparedStatement proxy) throws SQLException {
            if (free.size() >= MOST || free.containsKey(sql)) {
                statement.close();
                return;
            }
            statement.clearParameters();
            free.put(sql, proxy);
        }
    }
}
