create table users (id integer);
