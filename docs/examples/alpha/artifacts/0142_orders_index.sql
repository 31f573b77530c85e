CREATE INDEX CONCURRENTLY orders_by_customer ON orders (customer_id, created_at DESC);
